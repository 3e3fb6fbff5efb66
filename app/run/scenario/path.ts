import {
  boolean,
  describedBy,
  type Field,
  fail,
  INVALID,
  integer,
  isObject,
  type JsonSchema,
  number,
  object,
  optional,
  orNull,
  type Parser,
  type Problem,
  schemaOf,
} from '../../base/schema.ts';
import type {LivePath} from '../../pipelines/setting.ts';
import {meanValue} from '../link/linkTrace.ts';
import {CAPTURED_FIELDS, type CapturedPath, capturedPart} from './capturedPath.ts';
import {HANDOVER_ABOUT, type HandoverSettings, handover} from './handover.ts';
import {isIdle, type LinkParts, PART_KEYS, PART_PARSERS, type PartChanges, type PathParts} from './linkParts.ts';
import {LIVE_FIELDS, livePart, strayLiveKey} from './livePath.ts';
import {
  completeLoss,
  type Loss,
  loss,
  lossOrPart,
  OF_ANY_MODEL,
  OF_ANY_MODEL_SCHEMA,
  type PartOfLoss,
} from './lossModel.ts';
import {type DirectionTraces, traceOf, traceSettings} from './traceSettings.ts';
import {type Traffic, traffic} from './traffic.ts';

/**
 * The emulated path. `down` is from server to client. With `live`, the path leads to a real server in real time, and
 * only `atOnce` and the settings of {@link LivePath} are used. With `captured`, the run was recorded on a path whose
 * settings are not known.
 */
export interface PathSettings extends Partial<LivePath>, Partial<CapturedPath>, PathParts {
  /** Rate of the link in bits per second. It counts all bytes of each IP packet. */
  readonly rateBps: BothWays<number>;
  /**
   * RTT without queues and serialisation. Each direction delays a packet by half of its value, so the path's RTT is the
   * mean of the two values.
   */
  readonly rttMs: BothWays<number>;
  readonly loss: BothWays<Loss>;
  /** Limit of the drop-tail queue. It is not used in a direction that has a `queue`. */
  readonly queuePackets: BothWays<number>;
  /** Traces of the direction down. Absent if there are none. */
  readonly down?: DirectionTraces;
  readonly up?: DirectionTraces;
  /** Largest IP packet. It is fixed during a run. */
  readonly mtuBytes: number;
  /** Other traffic that shares the path. Absent if there is none. */
  readonly traffic?: readonly Traffic[];
  /**
   * Whether all panes load at the same time and share the path, with its rate and its queues. Absent if each pane has
   * its own copy of the path; on a live path, the panes then load one after the other.
   */
  readonly atOnce?: true;
}

export interface BothWays<T> {
  readonly down: T;
  readonly up: T;
}

/** The values that a timed change sets. All other values stay the same. */
export type PathChange = {
  readonly [K in 'rateBps' | 'rttMs' | 'loss' | 'queuePackets']: Partial<PathSettings[K]>;
} & {readonly [K in 'down' | 'up']?: DirectionTraces} & PartChanges & {
    /** Present if the client moves to another path, which has the changed settings. */
    readonly handover?: HandoverSettings;
  };

/** A change as a document states it. It may set only some keys of a loss; {@link completeChange} adds the others. */
export type PathChangeDocument = Omit<PathChange, 'loss'> & {
  readonly loss: Partial<BothWays<Loss | PartOfLoss>>;
};

export const DEFAULT_PATH: PathSettings = {
  rateBps: both(1_000_000),
  rttMs: both(350),
  loss: both<Loss>({model: 'bernoulli', rate: 0, applies: 'all'}),
  queuePackets: both(1000),
  mtuBytes: 1500,
};

/** Returns the path after a change. */
export function changePath(path: PathSettings, change: PathChange): PathSettings {
  return {
    rateBps: {...path.rateBps, ...change.rateBps},
    rttMs: {...path.rttMs, ...change.rttMs},
    loss: {...path.loss, ...change.loss},
    queuePackets: {...path.queuePackets, ...change.queuePackets},
    ...changedTraces('down', path.down, change.down),
    ...changedTraces('up', path.up, change.up),
    ...changedParts(path, change),
    mtuBytes: path.mtuBytes,
    // after a hand-over, other traffic stays on the old path
    ...(path.traffic === undefined || change.handover !== undefined ? {} : {traffic: path.traffic}),
    ...livePart(path),
    ...capturedPart(path),
    ...(path.atOnce === undefined ? {} : {atOnce: path.atOnce}),
  };
}

/** Returns the traces of a direction after a change. `null` ends a trace. */
function changedTraces(
  direction: 'down' | 'up',
  before: DirectionTraces = {},
  change: DirectionTraces = {},
): Pick<PathSettings, 'down' | 'up'> {
  const all = Object.entries({...before, ...change}).filter(([, trace]) => trace !== null);
  return all.length === 0 ? {} : {[direction]: Object.fromEntries(all)};
}

/**
 * Returns the parts of a path after a change. `null` removes a part. A limit in `queuePackets` replaces the path's
 * queue of the same direction, because such a limit is the short form of a drop-tail queue.
 */
function changedParts(path: PathParts, change: PartChanges & Pick<PathChange, 'queuePackets'>): PathParts {
  const short = Object.fromEntries(Object.keys(change.queuePackets).map(way => [way, null]));
  const changes = {...change, queue: {...short, ...change.queue}};
  const parts = PART_KEYS.map(key => {
    const ways = Object.entries({...path[key], ...changes[key]}).filter(([, part]) => part && !isIdle(part));
    return [key, Object.fromEntries(ways)] as const;
  });
  return Object.fromEntries(parts.filter(([, ways]) => Object.keys(ways).length > 0));
}

/** Returns the one-way propagation delay of a direction in ns: half of its RTT. */
export function delayNs(path: PathSettings, direction: keyof BothWays<number>): number {
  return Math.round((path.rttMs[direction] * 1e6) / 2);
}

/** Returns the rate of a direction, or the mean rate of its trace, in bits per second. */
export function meanRateBps(path: PathSettings, direction: keyof BothWays<number>): number {
  const trace = path[direction]?.trace;
  return trace ? meanValue(traceOf(trace, 'capacity', direction)) : path.rateBps[direction];
}

/** 1 bit/s to 1 Tbit/s, the range of the network core (native/netsim). */
const rate = integer(1, 1e12);

/** Up to two hours, the range of the network core. This includes paths to Mars, whose RTT is 6 to 44 minutes. */
const rtt = number(0, 7.2e6);

const queue = integer(1, 1e6);

/**
 * Completes the partial losses of a change. `inForce` holds the losses of the path before the change, which supply the
 * missing keys. `path` names the change's loss in problems, such as `changes[0].path.loss`.
 */
export function completeChange(
  change: PathChangeDocument,
  inForce: BothWays<Loss>,
  path: string,
  problems: Problem[],
): PathChange | typeof INVALID {
  const whole: {down?: Loss; up?: Loss} = {};
  for (const direction of ['down', 'up'] as const) {
    const each = change.loss[direction];
    if (each === undefined) continue;
    const parsed = each.model === 'in force' ? completeLoss(each, inForce[direction], path, problems) : each;
    if (parsed === INVALID) return INVALID;
    whole[direction] = parsed;
  }
  return {...change, loss: whole};
}

/** Parses one value for both directions, or an object with `down`, `up` or both. */
export function bothWays<T>(what: string, each: Parser<T>): Parser<Partial<BothWays<T>>> {
  const directions = object(`${what} of each direction`, {
    down: optional(each, undefined),
    up: optional(each, undefined),
  });
  return describedBy(bothWaysSchema(each), (value, path, problems) => {
    if (isObject(value) && (Object.hasOwn(value, 'down') || Object.hasOwn(value, 'up'))) {
      const parsed = directions(value, path, problems);
      if (parsed === INVALID) return INVALID;
      return {
        ...(parsed.down === undefined ? {} : {down: parsed.down}),
        ...(parsed.up === undefined ? {} : {up: parsed.up}),
      };
    }
    const parsed = each(value, path, problems);
    return parsed === INVALID ? INVALID : both(parsed);
  });
}

/** Returns the schema of {@link bothWays}. `shared` holds the keys that the object may have beside `down` and `up`. */
function bothWaysSchema(each: Parser<unknown>, shared: JsonSchema = {}): () => JsonSchema {
  return () => {
    const one = schemaOf(each);
    const ways = {down: one, up: one, ...shared};
    return {anyOf: [one, {type: 'object', properties: ways, minProperties: 1, additionalProperties: false}]};
  };
}

/** Like {@link bothWays}, for losses. `applies` and `at` beside `down` and `up` are defaults for both directions. */
function lossBothWays<L>(each: Parser<L>): Parser<Partial<BothWays<L>>> {
  const parse = bothWays('loss', each);
  return describedBy(bothWaysSchema(each, OF_ANY_MODEL_SCHEMA), (value, path, problems) => {
    if (!isObject(value) || !(Object.hasOwn(value, 'down') || Object.hasOwn(value, 'up')))
      return parse(value, path, problems);
    const isShared = ([key]: readonly [string, unknown]): boolean => (OF_ANY_MODEL as readonly string[]).includes(key);
    const shared = Object.fromEntries(Object.entries(value).filter(isShared));
    if (Object.keys(shared).length === 0) return parse(value, path, problems);
    const others = Object.entries(value).filter(entry => !isShared(entry));
    const completed = others.map(([way, one]) => {
      if (way !== 'down' && way !== 'up') return [way, one];
      return [way, isObject(one) ? {...shared, ...one} : typeof one === 'number' ? {rate: one, ...shared} : one];
    });
    return parse(Object.fromEntries(completed), path, problems);
  });
}

/** Parses the traces of one direction. */
const directionTraces: Parser<DirectionTraces> = (() => {
  const traces = object('the traces of a direction', {
    trace: optional(traceSettings('capacity'), undefined, {
      about:
        'How the capacity of the link changes, instead of path.rateBps: the name of a shipped trace, or ' +
        '{"file": "NAME"} for a file beside the scenario, in the format of Mahimahi (each line has the time in ms at ' +
        'which the link can deliver 1504 bytes) or CSV (a time in s, and bits per second from then on).',
    }),
    delayTrace: optional(traceSettings('delay'), undefined, {
      about:
        'How the one-way delay changes, instead of half of path.rttMs: the name of a shipped trace, or ' +
        '{"file": "NAME"} for a CSV file beside the scenario (a time in s, and the delay in ms from then on).',
    }),
  });
  return describedBy(
    () => schemaOf(traces),
    (value, path, problems) => {
      const parsed = traces(value, path, problems);
      if (parsed === INVALID) return INVALID;
      return Object.fromEntries(Object.entries(parsed).filter(([, trace]) => trace !== undefined));
    },
  );
})();

const ABOUT = {
  rateBps: 'The rate of the link, in bits per second. It counts all bytes of each IP packet.',
  rttMs:
    'The round-trip time without queues and serialisation, in ms. Each direction delays a packet by half of its ' +
    'own value, so the round-trip time of the path is the mean of down and up.',
  loss: 'Which packets are lost: a share of them, bursts, or the packets of a list.',
  queuePackets: 'How many packets the queue of the link holds. A full queue drops every packet that arrives.',
} as const;

const directed = {
  rateBps: optional(bothWays('rateBps', rate), {}, {about: ABOUT.rateBps}),
  rttMs: optional(bothWays('rttMs', rtt), {}, {about: ABOUT.rttMs}),
  loss: optional(lossBothWays(loss), {}, {about: ABOUT.loss}),
  queuePackets: optional(bothWays('queuePackets', queue), {}, {about: ABOUT.queuePackets}),
  down: optional(directionTraces, {}, {about: 'The traces of the direction from server to client.'}),
  up: optional(directionTraces, {}, {about: 'The traces of the direction from client to server.'}),
  queue: part('queue'),
  jitter: part('jitter'),
  reorder: part('reorder'),
  duplicate: part('duplicate'),
  policer: part('policer'),
};

/** Returns the field of a part. In a document, the value `null` means that the path does not have the part. */
function part<K extends keyof LinkParts>(key: K): Field<NonNullable<PartChanges[K]>> {
  const {parse, about} = PART_PARSERS[key];
  return optional(bothWays(key, orNull(parse as Parser<LinkParts[K]>)), {}, {about}) as Field<
    NonNullable<PartChanges[K]>
  >;
}

const initial = {
  rateBps: {...directed.rateBps, text: {about: ABOUT.rateBps, default: DEFAULT_PATH.rateBps.down}},
  rttMs: {...directed.rttMs, text: {about: ABOUT.rttMs, default: DEFAULT_PATH.rttMs.down}},
  loss: {...directed.loss, text: {about: ABOUT.loss, default: 0}},
  queuePackets: {
    ...directed.queuePackets,
    text: {about: ABOUT.queuePackets, default: DEFAULT_PATH.queuePackets.down},
  },
  down: directed.down,
  up: directed.up,
  ...(Object.fromEntries(PART_KEYS.map(key => [key, directed[key]])) as Pick<typeof directed, keyof LinkParts>),
  mtuBytes: optional(integer(576, 65535), DEFAULT_PATH.mtuBytes, {
    about: 'The largest IP packet that the path carries, in bytes.',
    default: DEFAULT_PATH.mtuBytes,
  }),
  traffic: optional(traffic, [], {
    about:
      'Other traffic that shares the path: it waits in the same queues. The losses of its packets are decided ' +
      'separately, so the loss model loses the same packets of the page load as without other traffic.',
    default: [],
  }),
  ...LIVE_FIELDS,
  ...CAPTURED_FIELDS,
  atOnce: optional(boolean(), false, {
    about:
      'With true, all panes load at the same time, as neighbours do: they share the rate and the queues. With false, ' +
      'each pane has its own copy of the path; on a live path they load one after the other.',
    default: false,
  }),
};

/**
 * Parses a change of the path during the run. `mtuBytes` cannot change. The losses may be partial, so the result must
 * be passed to {@link completeChange}.
 */
export const pathChange: Parser<PathChangeDocument> = describedBy(
  () => schemaOf(anyChange),
  (value, path, problems) => {
    const parsed = anyChange(value, path, problems);
    if (parsed === INVALID) return INVALID;
    const {handover, ...settings} = parsed;
    return {...settings, ...(handover === undefined ? {} : {handover})};
  },
);

const changing = {
  ...directed,
  loss: optional(
    lossBothWays(lossOrPart),
    {},
    {
      about:
        'Like path.loss. An object with only some of p, r, h, k, applies and at changes these and keeps the others.',
    },
  ),
};

const anyChange = object('a change of the path', {
  ...changing,
  handover: optional(handover, undefined, {about: HANDOVER_ABOUT, default: false}),
});

const settings = object('path', initial);

/** Parses the path at the start of the run. Missing settings get their values from {@link DEFAULT_PATH}. */
export const pathSettings: Parser<PathSettings> = describedBy(
  () => schemaOf(settings),
  (value, path, problems) => {
    const parsed = settings(value, path, problems);
    if (parsed === INVALID) return INVALID;
    const {mtuBytes, traffic, atOnce} = parsed;
    const live = livePart(parsed);
    const stray = strayLiveKey(parsed);
    if (stray !== undefined) return fail(problems, `${path}.${stray}`, parsed[stray], 'absent unless the path is live');
    const captured = capturedPart(parsed);
    if (captured === undefined && parsed.seenAt !== undefined)
      return fail(problems, `${path}.seenAt`, parsed.seenAt, 'absent unless the path is captured');
    if (captured !== undefined && live !== undefined)
      return fail(problems, `${path}.live`, live.live, 'absent if the path is captured');
    const other = traffic.length === 0 ? {} : {traffic};
    const happened = {...live, ...captured};
    return {...changePath(DEFAULT_PATH, parsed), mtuBytes, ...other, ...happened, ...(atOnce ? {atOnce} : {})};
  },
);

function both<T>(value: T): BothWays<T> {
  return {down: value, up: value};
}
