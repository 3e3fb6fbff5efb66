import {
  fail,
  INVALID,
  integer,
  isObject,
  list,
  type NumberRange,
  number,
  object,
  optional,
  type Parser,
  required,
} from './schema.ts';

/** The emulated path. `down` is server → client. */
export interface PathSettings {
  /** Bits per second, whole IP packets counted. */
  readonly rateBps: BothWays<number>;
  /** Each direction delays a packet by half of its number, so the path's RTT is the mean of the two. */
  readonly rttMs: BothWays<number>;
  readonly loss: BothWays<Loss>;
  /** The queue's limit, drop-tail. */
  readonly queuePackets: BothWays<number>;
  /** Largest IP packet; fixed during a run. */
  readonly mtuBytes: number;
}

export interface BothWays<T> {
  readonly down: T;
  readonly up: T;
}

/** Which packets a direction loses. */
export type Loss =
  | {readonly model: 'bernoulli'; readonly rate: number}
  /** Good → bad with probability p, bad → good with r; a packet passes with h in bad, with k in good. */
  | {
      readonly model: 'gilbert-elliott';
      readonly p: number;
      readonly r: number;
      readonly h: number;
      readonly k: number;
    }
  /** Exactly these packets of the direction, counted from 0. */
  | {readonly model: 'list'; readonly packets: readonly number[]};

/** What a timed change sets; the rest stays. */
export type PathChange = {
  readonly [K in Exclude<keyof PathSettings, 'mtuBytes'>]: Partial<PathSettings[K]>;
};

export const DEFAULT_PATH: PathSettings = {
  rateBps: both(1_000_000),
  rttMs: both(350),
  loss: both<Loss>({model: 'bernoulli', rate: 0}),
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
  };
}

/** A direction's one-way propagation, ns: half of its RTT. */
export function delayNs(path: PathSettings, direction: keyof BothWays<number>): number {
  return Math.round((path.rttMs[direction] * 1e6) / 2);
}

const PROBABILITIES: NumberRange = {least: 0, most: 1, isWhole: false};

const probability = number(PROBABILITIES.least, PROBABILITIES.most);

/** 1 bit/s to 1 Tbit/s: what the network core takes. */
const rate = integer(1, 1e12);

/** Up to two hours there and back: what the network core takes. Mars is 6 to 44 minutes away. */
const rtt = number(0, 7.2e6);

const queue = integer(1, 1e6);

const gilbertElliott = object('a Gilbert–Elliott loss', {
  p: required(probability),
  r: required(probability),
  h: optional(probability, 0),
  k: optional(probability, 1),
});

const lossList = object('a list of lost packets', {
  packets: required(list(integer(0, Number.MAX_SAFE_INTEGER), 0, 100_000)),
});

const LOSS_LIMIT = 'a number from 0 to 1, {"p", "r", "h", "k"}, {"packets": […]}, or {"down", "up"} of these';

const loss: Parser<Loss> = (value, path, problems) => {
  if (typeof value === 'number') {
    const parsed = probability(value, path, problems);
    return parsed === INVALID ? INVALID : {model: 'bernoulli', rate: parsed};
  }
  if (!isObject(value)) return fail(problems, path, value, LOSS_LIMIT, {range: PROBABILITIES});
  if (Object.hasOwn(value, 'packets')) {
    const parsed = lossList(value, path, problems);
    return parsed === INVALID
      ? INVALID
      : {model: 'list', packets: [...new Set(parsed.packets)].sort((a, b) => a - b)};
  }
  if (!Object.hasOwn(value, 'p') && !Object.hasOwn(value, 'r'))
    return fail(problems, path, value, LOSS_LIMIT);
  const parsed = gilbertElliott(value, path, problems);
  return parsed === INVALID ? INVALID : {model: 'gilbert-elliott', ...parsed};
};

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

const directed = {
  rateBps: optional(bothWays('rateBps', rate), {}),
  rttMs: optional(bothWays('rttMs', rtt), {}),
  loss: optional(bothWays('loss', loss), {}),
  queuePackets: optional(bothWays('queuePackets', queue), {}),
};

/** A change of the path on the way; `mtuBytes` cannot change. */
export const pathChange: Parser<PathChange> = object('a change of the path', directed);

/** The path at the start; what is missing is {@link DEFAULT_PATH}'s. */
export const pathSettings: Parser<PathSettings> = (value, path, problems) => {
  const parsed = object('path', {
    ...directed,
    mtuBytes: optional(integer(576, 65535), DEFAULT_PATH.mtuBytes),
  })(value, path, problems);
  return parsed === INVALID ? INVALID : {...changePath(DEFAULT_PATH, parsed), mtuBytes: parsed.mtuBytes};
};

function both<T>(value: T): BothWays<T> {
  return {down: value, up: value};
}
