import {
  boolean,
  fail,
  INVALID,
  integer,
  isObject,
  number,
  object,
  optional,
  type Parser,
  type Problem,
} from '../../base/schema.ts';
import type {LivePath} from '../../pipelines/livePath.ts';
import {LIVE_FIELDS, livePart, strayLiveKey} from './livePath.ts';
import {completeLoss, type Loss, loss, lossOrPart, OF_ANY_MODEL, type PartOfLoss} from './loss.ts';

/**
 * The emulated path. `down` is server → client. With `live` it is that to a server, in real time, which is what it is:
 * the other settings are not used.
 */
export interface PathSettings extends Partial<LivePath> {
  /** Bits per second, whole IP packets counted. */
  readonly rateBps: BothWays<number>;
  /** Each direction delays a packet by half of its number, so the path's RTT is the mean of the two. */
  readonly rttMs: BothWays<number>;
  readonly loss: BothWays<Loss>;
  /** The queue's limit, drop-tail. */
  readonly queuePackets: BothWays<number>;
  /** Largest IP packet; fixed during a run. */
  readonly mtuBytes: number;
  /** All panes load from live servers at the same time, and share what bandwidth there is; absent: one after the other. */
  readonly atOnce?: true;
}

export interface BothWays<T> {
  readonly down: T;
  readonly up: T;
}

/** What a timed change sets; the rest stays. */
export type PathChange = {
  readonly [K in Exclude<keyof PathSettings, 'mtuBytes' | 'atOnce' | keyof LivePath>]: Partial<PathSettings[K]>;
};

/** As a document has it: a change of the loss may name some of its keys, and keep the others that are in force. */
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

/** `path` with what the change sets. */
export function changePath(path: PathSettings, change: PathChange): PathSettings {
  return {
    rateBps: {...path.rateBps, ...change.rateBps},
    rttMs: {...path.rttMs, ...change.rttMs},
    loss: {...path.loss, ...change.loss},
    queuePackets: {...path.queuePackets, ...change.queuePackets},
    mtuBytes: path.mtuBytes,
    ...livePart(path),
    ...(path.atOnce === undefined ? {} : {atOnce: path.atOnce}),
  };
}

/** A direction's one-way propagation, ns: half of its RTT. */
export function delayNs(path: PathSettings, direction: keyof BothWays<number>): number {
  return Math.round((path.rttMs[direction] * 1e6) / 2);
}

/** 1 bit/s to 1 Tbit/s: what the network core takes. */
const rate = integer(1, 1e12);

/** Up to two hours there and back: what the network core takes. Mars is 6 to 44 minutes away. */
const rtt = number(0, 7.2e6);

const queue = integer(1, 1e6);

/** The change with every loss whole, on a path with the losses `inForce`; `path` is where it stands. */
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

/** One value for both directions, or {down, up}, of which one may be missing. */
function bothWays<T>(what: string, each: Parser<T>): Parser<Partial<BothWays<T>>> {
  const directions = object(`${what} of each direction`, {
    down: optional(each, undefined),
    up: optional(each, undefined),
  });
  return (value, path, problems) => {
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
  };
}

/** As {@link bothWays}; `applies` and `at` beside {down, up} are of each of them that says nothing else. */
function lossBothWays<L>(each: Parser<L>): Parser<Partial<BothWays<L>>> {
  const parse = bothWays('loss', each);
  return (value, path, problems) => {
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
  };
}

const directed = {
  rateBps: optional(bothWays('rateBps', rate), {}),
  rttMs: optional(bothWays('rttMs', rtt), {}),
  loss: optional(lossBothWays(loss), {}),
  queuePackets: optional(bothWays('queuePackets', queue), {}),
};

/** A change of the path on the way; `mtuBytes` cannot change. {@link completeChange} makes its losses whole. */
export const pathChange: Parser<PathChangeDocument> = object('a change of the path', {
  ...directed,
  loss: optional(lossBothWays(lossOrPart), {}),
});

/** The path at the start; what is missing is {@link DEFAULT_PATH}'s. */
export const pathSettings: Parser<PathSettings> = (value, path, problems) => {
  const parsed = object('path', {
    ...directed,
    mtuBytes: optional(integer(576, 65535), DEFAULT_PATH.mtuBytes),
    ...LIVE_FIELDS,
    atOnce: optional(boolean(), false),
  })(value, path, problems);
  if (parsed === INVALID) return INVALID;
  const {mtuBytes, atOnce} = parsed;
  const live = livePart(parsed);
  const stray = strayLiveKey(parsed);
  if (stray !== undefined) return fail(problems, `${path}.${stray}`, parsed[stray], 'absent unless the path is live');
  if (atOnce && live === undefined) return fail(problems, `${path}.atOnce`, atOnce, 'absent unless the path is live');
  return {...changePath(DEFAULT_PATH, parsed), mtuBytes, ...live, ...(atOnce ? {atOnce} : {})};
};

function both<T>(value: T): BothWays<T> {
  return {down: value, up: value};
}
