import type {Json} from '../../base/json.ts';
import {
  boolean,
  describedBy,
  type Field,
  fail,
  INVALID,
  integer,
  isObject,
  number,
  object,
  oneOf,
  optional,
  type Parser,
  required,
  schemaOf,
} from '../../base/schema.ts';

// Parts of a link that most paths do not have. Each is absent by default, and may be given for one direction only.

/**
 * The discipline of a queue, and its limit. If a setting of the discipline is absent, it has the default of the
 * discipline's RFC. If the limit is absent, it is that of the discipline ({@link QUEUE_DISCIPLINES}).
 */
export type Queue = QueueLimit &
  (
    | {readonly kind: 'droptail'}
    | ({readonly kind: 'codel'} & CoDelSettings)
    | ({readonly kind: 'fq_codel'; readonly flows?: number; readonly quantumBytes?: number} & CoDelSettings)
    | {readonly kind: 'pie'; readonly targetMs?: number; readonly updateMs?: number; readonly ecn?: boolean}
    | {readonly kind: 'dualpi2'; readonly targetMs?: number; readonly stepMs?: number; readonly ecn?: boolean}
  );

/** The limit of a queue in one of three units. At most one of the keys is given. */
interface QueueLimit {
  readonly packets?: number;
  readonly bytes?: number;
  /** The time in which the link sends the bytes of a full queue. */
  readonly ms?: number;
}

interface CoDelSettings {
  readonly targetMs?: number;
  readonly intervalMs?: number;
  /** Whether packets of transports that use ECN are marked instead of dropped. True if absent. */
  readonly ecn?: boolean;
  /**
   * A packet that has waited longer than this is marked if its transport uses ECN. Absent if there is no such limit.
   */
  readonly markFromMs?: number;
}

export interface Jitter {
  readonly ms: number;
  readonly distribution: (typeof DISTRIBUTIONS)[number];
  readonly correlation: number;
  /** Whether packets that would overtake others wait for them. */
  readonly inOrder: boolean;
}

export interface Reordering {
  readonly rate: number;
  readonly correlation: number;
  readonly gap: number;
}

export interface Duplication {
  readonly rate: number;
  readonly correlation: number;
}

export interface Policer {
  readonly rateBps: number;
  readonly burstBytes: number;
}

/** The types of the parts, by the key that a part has in `path`. */
export interface LinkParts {
  readonly queue: Queue;
  readonly jitter: Jitter;
  readonly reorder: Reordering;
  readonly duplicate: Duplication;
  readonly policer: Policer;
}

/** The parts of both directions, as a path has them. */
export type PathParts = {readonly [K in keyof LinkParts]?: {readonly down?: LinkParts[K]; readonly up?: LinkParts[K]}};

/** The parts that a change sets. `null` removes a part. */
export type PartChanges = {
  readonly [K in keyof LinkParts]?: {readonly down?: LinkParts[K] | null; readonly up?: LinkParts[K] | null};
};

const DISTRIBUTIONS = ['uniform', 'normal', 'pareto'] as const;

const share = number(0, 1);
const shortMs = number(0.001, 10_000);

const CORRELATION = optional(share, 0, {
  about: 'How much the random number of a packet resembles that of the packet before, from 0 to 1 (as in netem).',
  default: 0,
});

const LIMIT = {
  packets: optional(integer(1, 1e6), undefined, {
    about:
      'How many packets the queue holds. Without a limit, droptail and codel hold 1000 packets, fq_codel 10240, pie ' +
      '1000 and dualpi2 10000.',
  }),
  bytes: optional(integer(1, 1e12), undefined, {about: 'How many bytes the queue holds.'}),
  ms: optional(number(0.001, 3_600_000), undefined, {
    about: 'The time in which the link sends a full queue at its rate, or at the mean rate of its trace, in ms.',
  }),
};

const ECN = optional(boolean(), undefined, {
  about: 'Whether packets of transports that use ECN are marked instead of dropped.',
  default: true,
});

function target(ms: number): Field<number | undefined> {
  return optional(shortMs, undefined, {
    about: 'The longest time that packets should wait in the queue, in ms.',
    default: ms,
  });
}

const CODEL = {
  targetMs: target(5),
  intervalMs: optional(shortMs, undefined, {
    about: 'The queue begins to drop when packets have waited longer than the target for this time, in ms.',
    default: 100,
  }),
  ecn: ECN,
  markFromMs: optional(shortMs, undefined, {
    about:
      'A packet that has waited longer than this time is marked if its transport uses ECN, in ms (the ce_threshold ' +
      'of Linux). Without this key there is no such time.',
  }),
};

/** A queue discipline, as scenarios and the window know it. */
interface QueueDiscipline {
  readonly name: string;
  /** The RFC that defines the discipline. */
  readonly rfc?: number;
  /** The limit, in packets, of a queue whose settings contain no limit. It is the default of Linux. */
  readonly usualPackets: number;
  /** The settings that the discipline has besides its limit. */
  readonly settings: Readonly<Record<string, Field<unknown>>>;
}

/**
 * All queue disciplines, in the order in which they are offered. docs/extending.md says what else a new one needs.
 */
export const QUEUE_DISCIPLINES: {readonly [K in Queue['kind']]: QueueDiscipline} = {
  droptail: {name: 'drop-tail', usualPackets: 1000, settings: {}},
  codel: {name: 'CoDel', rfc: 8289, usualPackets: 1000, settings: CODEL},
  fq_codel: {
    name: 'FQ-CoDel',
    rfc: 8290,
    usualPackets: 10_240,
    settings: {
      ...CODEL,
      flows: optional(integer(1, 65_536), undefined, {
        about: 'The number of queues over which flows are distributed.',
        default: 1024,
      }),
      quantumBytes: optional(integer(1, 1_000_000), undefined, {
        about: 'How many bytes a flow may send before it is the turn of another one.',
        default: 1514,
      }),
    },
  },
  pie: {
    name: 'PIE',
    rfc: 8033,
    usualPackets: 1000,
    settings: {
      targetMs: target(15),
      updateMs: optional(shortMs, undefined, {
        about: 'The time between two updates of the drop probability, in ms.',
        default: 15,
      }),
      ecn: ECN,
    },
  },
  dualpi2: {
    name: 'DualPI2',
    rfc: 9332,
    usualPackets: 10_000,
    settings: {
      targetMs: target(15),
      stepMs: optional(shortMs, undefined, {
        about: 'An L4S packet that has waited longer than this time is marked, in ms.',
        default: 1,
      }),
      ecn: ECN,
    },
  },
};

const QUEUE_KINDS = Object.keys(QUEUE_DISCIPLINES) as (keyof typeof QUEUE_DISCIPLINES)[];
const disciplines = Object.values(QUEUE_DISCIPLINES).map(
  ({name, rfc}) => `${name}${rfc === undefined ? '' : ` (RFC ${rfc})`}`,
);

const kind = required(oneOf(QUEUE_KINDS), {
  about: `The discipline: ${disciplines.join(', ')}.`,
});

const parsersOfKinds = Object.fromEntries(
  QUEUE_KINDS.map(each => [
    each,
    object(`a queue of the kind ${each}`, {kind, ...LIMIT, ...QUEUE_DISCIPLINES[each].settings}),
  ]),
);

const anyKind = object('a queue', {kind});

const queue: Parser<Queue> = describedBy(
  () => ({
    anyOf: QUEUE_KINDS.map(each => {
      const schema = schemaOf(
        object('a queue', {kind: required(oneOf([each]), kind.text), ...LIMIT, ...QUEUE_DISCIPLINES[each].settings}),
      );
      return schema;
    }),
  }),
  (value, path, problems) => {
    if (!isObject(value)) return fail(problems, path, value, `an object with a kind: ${QUEUE_KINDS.join(', ')}`);
    const parser =
      typeof value['kind'] === 'string' && Object.hasOwn(parsersOfKinds, value['kind']) ? value['kind'] : '';
    const parsed = (parsersOfKinds[parser] ?? anyKind)(parser === '' ? {kind: value['kind']} : value, path, problems);
    if (parsed === INVALID) return INVALID;
    const given = Object.fromEntries(
      Object.entries(parsed).filter(([, each]) => each !== undefined),
    ) as unknown as Queue;
    const limits = (['packets', 'bytes', 'ms'] as const).filter(key => given[key] !== undefined);
    if (limits.length <= 1) return given;
    return fail(problems, path, value, 'an object with at most one of packets, bytes and ms');
  },
);

const jitterObject = object('jitter', {
  ms: required(number(0, 3_600_000), {
    about: 'The spread of the delay, in ms. With "uniform", the delay changes by at most this much.',
  }),
  distribution: optional(oneOf(DISTRIBUTIONS), 'uniform' as const, {
    about: 'How the delay is distributed, as in netem.',
    default: 'uniform',
  }),
  correlation: CORRELATION,
  inOrder: optional(boolean(), true, {
    about: 'Whether packets that would overtake others wait for them. With false, they overtake, as in netem.',
    default: true,
  }),
});

const jitter = numberOr(number(0, 3_600_000), jitterObject, ms => ({ms, ...JITTER_DEFAULTS}));

const JITTER_DEFAULTS = {distribution: 'uniform', correlation: 0, inOrder: true} as const;

const reorder = numberOr(
  share,
  object('reordering', {
    rate: required(share, {about: 'The share of packets that arrive without any delay, and so overtake others.'}),
    correlation: CORRELATION,
    gap: optional(integer(1, 1_000_000), 1, {
      about: 'The smallest distance between two packets that overtake, in packets, as in netem.',
      default: 1,
    }),
  }),
  rate => ({rate, correlation: 0, gap: 1}),
);

const duplicate = numberOr(
  share,
  object('duplication', {
    rate: required(share, {about: 'The share of packets that arrive twice.'}),
    correlation: CORRELATION,
  }),
  rate => ({rate, correlation: 0}),
);

const policer = object('a policer', {
  rateBps: required(integer(1, 1e12), {about: 'The rate that passes, in bits per second.'}),
  burstBytes: required(integer(1, 1e9), {
    about: 'How many bytes pass at once after a pause. Packets that are larger never pass.',
  }),
});

/** Parses an object, or a number, which is its short form. */
function numberOr<T>(short: Parser<number>, whole: Parser<T>, expand: (value: number) => T): Parser<T> {
  return describedBy(
    () => ({anyOf: [schemaOf(short), schemaOf(whole)]}),
    (value, path, problems) => {
      if (typeof value !== 'number') return whole(value, path, problems);
      const parsed = short(value, path, problems);
      return parsed === INVALID ? INVALID : expand(parsed);
    },
  );
}

/** The parsers of the parts of one direction, and their descriptions. */
export const PART_PARSERS: {
  readonly [K in keyof LinkParts]: {readonly parse: Parser<LinkParts[K]>; readonly about: string};
} = {
  queue: {
    parse: queue,
    about:
      'The queue of the link: its discipline and its limit. {"kind": "droptail", "packets": N} is the same as ' +
      'path.queuePackets. This key has priority over path.queuePackets.',
  },
  jitter: {
    parse: jitter,
    about: 'A random part of the delay: its spread in ms, or an object. The path loses no packet by this.',
  },
  reorder: {parse: reorder, about: 'Which packets overtake others: a share of them, or an object.'},
  duplicate: {parse: duplicate, about: 'Which packets arrive twice: a share of them, or an object.'},
  policer: {
    parse: policer,
    about: 'A token bucket in front of the queue. It drops the packets that exceed it.',
  },
};

export const PART_KEYS = Object.keys(PART_PARSERS) as readonly (keyof LinkParts)[];

/** Whether a part has no effect, so that the path is the same without it. */
export function isIdle(part: LinkParts[keyof LinkParts]): boolean {
  if ('ms' in part && 'inOrder' in part) return part.ms === 0;
  return 'rate' in part && part.rate === 0;
}

/** Returns a part as it is written in a scenario document: in its short form if possible. */
export function partDocument(part: LinkParts[keyof LinkParts]): Json {
  if ('inOrder' in part) {
    const {ms, ...rest} = part;
    return JSON.stringify(rest) === JSON.stringify(JITTER_DEFAULTS) ? ms : without(part, JITTER_DEFAULTS);
  }
  if (!('rate' in part)) return {...part};
  const {rate, ...rest} = without(part, {correlation: 0, gap: 1}) as {readonly rate: number};
  return Object.keys(rest).length === 0 ? rate : {rate, ...rest};
}

/** Leaves out the keys that have these values. */
function without(part: object, values: object): {readonly [key: string]: Json} {
  const defaults = new Map<string, unknown>(Object.entries(values));
  return Object.fromEntries(Object.entries(part).filter(([key, value]) => defaults.get(key) !== value));
}

/** Describes a queue: `CoDel`, `FQ-CoDel, 100 packets`, `drop-tail, 50 ms`. */
export function queueText(queue: Queue): string {
  const {packets, bytes, ms} = queue;
  const limit =
    packets !== undefined
      ? `${packets} packets`
      : bytes !== undefined
        ? `${bytes} B`
        : ms !== undefined
          ? `${ms} ms`
          : '';
  return [QUEUE_DISCIPLINES[queue.kind].name, ...(limit === '' ? [] : [limit])].join(', ');
}

/** Describes a part in a few words, for people. */
export function partText<K extends keyof LinkParts>(
  key: K,
  part: LinkParts[K],
  rateText: (bps: number) => string,
): string {
  const each = part as LinkParts[keyof LinkParts];
  if ('kind' in each) return `${queueText(each)} queue`.replace(/^([\w-]+), (.*) queue$/, '$1 queue of $2');
  if ('inOrder' in each) {
    const {ms, distribution, inOrder} = each;
    return `jitter ${ms} ms${distribution === 'uniform' ? '' : ` (${distribution})`}${inOrder ? '' : ', out of order'}`;
  }
  if ('burstBytes' in each) return `policed to ${rateText(each.rateBps)}`;
  const percent = `${Number((each.rate * 100).toPrecision(3))} % of packets`;
  return key === 'reorder' ? `${percent} overtake others` : `${percent} arrive twice`;
}
