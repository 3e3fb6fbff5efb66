import {
  describedBy,
  fail,
  INVALID,
  integer,
  isObject,
  type JsonSchema,
  list,
  type NumberRange,
  number,
  object,
  oneOf,
  optional,
  type Parser,
  type Problem,
  required,
  schemaOf,
} from '../../base/schema.ts';

/** The loss model of one direction of the path. */
export type Loss = LossModel & {
  /**
   * The packets that have a fate: the model decides whether they are lost. `all`: packet k of a direction has the same
   * fate in every pane, whatever it carries; it may carry data in one pane and an acknowledgement in another. `data`:
   * only packets with data have a fate, and the k-th of them is lost in every pane or in none. All other packets pass.
   */
  readonly applies: (typeof LOSS_APPLIES)[number];
  /**
   * `exit`: packets are lost after the link, so a lost packet has waited in the queue and used the link's rate. Absent:
   * packets are lost before the queue, as in dummynet, so a lost packet uses neither. The model then also decides a
   * fate for the packets that the queue drops afterwards.
   */
  readonly at?: 'exit';
};

type LossModel =
  | {readonly model: 'bernoulli'; readonly rate: number}
  /**
   * The state changes from good to bad with probability p, and from bad to good with probability r. A packet passes
   * with probability h in the bad state, and with probability k in the good state.
   */
  | {
      readonly model: 'gilbert-elliott';
      readonly p: number;
      readonly r: number;
      readonly h: number;
      readonly k: number;
    }
  /** Exactly these packets of the direction are lost. They are counted from 0 among the packets that have a fate. */
  | {readonly model: 'list'; readonly packets: readonly number[]};

export const LOSS_APPLIES = ['all', 'data'] as const;

const LOSS_AT = ['entry', 'exit'] as const;

const PROBABILITIES: NumberRange = {least: 0, most: 1, isWhole: false};

const probability = number(PROBABILITIES.least, PROBABILITIES.most);

/** Fields of every model. */
const ANY_MODEL = {
  applies: optional(oneOf(LOSS_APPLIES), 'all' as const, {
    about:
      'To which packets the loss applies. With "all", packet k of a direction is lost in every pane or in none, ' +
      'whatever it carries. With "data", only packets with data can be lost: the k-th of them is lost in every pane ' +
      'or in none. These are TCP segments with payload, SCTP packets with DATA chunks, QUIC packets with data of ' +
      'streams, and bare UDP datagrams. An emulated path (interleave path) cannot see what QUIC packets contain, so ' +
      'all of them count there.',
    default: 'all',
  }),
  at: optional(oneOf(LOSS_AT), 'entry' as const, {
    about:
      'Where packets are lost. With "entry", a packet is lost before the queue, as in dummynet, and uses no rate. ' +
      'With "exit", a packet is lost after the link: it has waited in the queue and used rate.',
    default: 'entry',
  }),
};

const bernoulli = object('a loss', {
  rate: required(probability, {about: 'The share of packets that is lost.'}),
  ...ANY_MODEL,
});

const gilbertElliott = object('a Gilbert–Elliott loss', {
  p: required(probability, {
    about: 'The probability, for each packet, that the good state changes to the bad one.',
  }),
  r: required(probability, {
    about:
      'The probability, for each packet, that the bad state changes to the good one. 1 / r is the mean length of a ' +
      'burst in packets.',
  }),
  h: optional(probability, 0, {about: 'The probability that a packet passes in the bad state.', default: 0}),
  k: optional(probability, 1, {about: 'The probability that a packet passes in the good state.', default: 1}),
  ...ANY_MODEL,
});

const lossList = object('a list of lost packets', {
  packets: required(list(integer(0, Number.MAX_SAFE_INTEGER), 0, 100_000), {
    about: 'The packets of a direction that are lost, counted from 0 among the packets to which the loss applies.',
  }),
  ...ANY_MODEL,
});

const LOSS_LIMIT =
  'a number from 0 to 1, {"rate"}, {"p", "r", "h", "k"}, {"packets": […]}, or {"down", "up"} of these; ' +
  'each of the first three objects may also have "applies": "all" or "data", and "at": "entry" or "exit"';

/** Parses a loss of any model. Each model has its own keys. All models share `applies` and `at`. */
export const loss: Parser<Loss> = describedBy(lossSchema, (value, path, problems) => {
  if (typeof value === 'number') {
    const rate = probability(value, path, problems);
    return rate === INVALID ? INVALID : {model: 'bernoulli', rate, applies: 'all'};
  }
  if (!isObject(value)) return fail(problems, path, value, LOSS_LIMIT, {range: PROBABILITIES});
  if (Object.hasOwn(value, 'packets')) {
    const parsed = lossList(value, path, problems);
    if (parsed === INVALID) return INVALID;
    return {...placed(parsed), model: 'list', packets: [...new Set(parsed.packets)].sort((a, b) => a - b)};
  }
  if (Object.hasOwn(value, 'p') || Object.hasOwn(value, 'r')) {
    const parsed = gilbertElliott(value, path, problems);
    return parsed === INVALID ? INVALID : {model: 'gilbert-elliott', ...placed(parsed)};
  }
  if (!['rate', ...OF_ANY_MODEL].some(key => Object.hasOwn(value, key)))
    return fail(problems, path, value, LOSS_LIMIT, {range: PROBABILITIES});
  const parsed = bernoulli(value, path, problems);
  return parsed === INVALID ? INVALID : {model: 'bernoulli', ...placed(parsed)};
});

function lossSchema(): JsonSchema {
  return {anyOf: [probability, bernoulli, gilbertElliott, lossList].map(schemaOf)};
}

/** Leaves out `at` if it is `entry`, the default. */
function placed<T extends object>({at, ...loss}: T & {readonly at: (typeof LOSS_AT)[number]}) {
  return at === 'exit' ? {...loss, at} : loss;
}

/**
 * Returns the long-run loss rate of the packets to which the model applies, 0–1. The model is in the bad state for p /
 * (p + r) of the packets (Hasslinger and Hohlfeld 2008). It starts in the good state, and stays there if p is 0.
 */
export function meanLossRate({p, r, h, k}: Extract<Loss, {model: 'gilbert-elliott'}>): number {
  const bad = p === 0 ? 0 : p / (p + r);
  return bad * (1 - h) + (1 - bad) * (1 - k);
}

/** Whether a model loses no packet, whatever is sent. */
export function neverLoses(loss: Loss): boolean {
  switch (loss.model) {
    case 'list':
      return loss.packets.length === 0;
    case 'bernoulli':
      return loss.rate === 0;
    case 'gilbert-elliott':
      return loss.k === 1 && (loss.p === 0 || loss.h === 1);
  }
}

/** Some keys of a loss. When the path changes during a run, they replace those of the loss in force. */
export interface PartOfLoss {
  readonly model: 'in force';
  readonly set: {readonly [K in (typeof PART_KEYS)[number]]?: unknown};
}

/** Keys that all models have. A change of the path during a run may set them, whichever model is in force then. */
export const OF_ANY_MODEL = ['applies', 'at'] as const;

export const OF_ANY_MODEL_SCHEMA: JsonSchema = {applies: {enum: LOSS_APPLIES}, at: {enum: LOSS_AT}};

const PART_KEYS = ['p', 'r', 'h', 'k', ...OF_ANY_MODEL] as const;

/**
 * Parses a whole loss, or some keys that replace those of the loss in force. A burst loss is whole if it has both p and
 * r.
 */
export const lossOrPart: Parser<Loss | PartOfLoss> = describedBy(
  () => ({anyOf: [schemaOf(loss), partSchema()]}),
  (value, path, problems) => {
    const isPart = isObject(value) && Object.keys(value).length > 0 && Object.keys(value).every(isPartKey);
    if (!isPart || ('p' in value && 'r' in value)) return loss(value, path, problems);
    return {model: 'in force', set: value};
  },
);

function partSchema(): JsonSchema {
  const one = schemaOf(probability);
  const properties = {p: one, r: one, h: one, k: one, ...OF_ANY_MODEL_SCHEMA};
  return {type: 'object', properties, minProperties: 1, additionalProperties: false};
}

function isPartKey(key: string): boolean {
  return (PART_KEYS as readonly string[]).includes(key);
}

/** Completes a partial loss with the other keys of the current loss, `inForce`. */
export function completeLoss(
  part: PartOfLoss,
  inForce: Loss,
  path: string,
  problems: Problem[],
): Loss | typeof INVALID {
  const {model, ...parameters} = inForce;
  const isOfBursts = Object.keys(part.set).some(key => !(OF_ANY_MODEL as readonly string[]).includes(key));
  if (isOfBursts && model !== 'gilbert-elliott')
    return fail(problems, path, part.set, 'a whole loss with p and r, because the current loss has no bursts');
  return loss({...parameters, ...part.set}, path, problems);
}
