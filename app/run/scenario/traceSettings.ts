import type {Json} from '../../base/json.ts';
import {
  boolean,
  describedBy,
  fail,
  INVALID,
  isObject,
  type JsonSchema,
  number,
  object,
  oneOf,
  optional,
  type Parser,
  type Problem,
  required,
  schemaOf,
  text,
} from '../../base/schema.ts';
import {nearest} from '../../base/text.ts';
import {type LinkTrace, LONGEST_MS, periodMs} from '../link/linkTrace.ts';
import {unpackedTrace} from '../link/packedTrace.ts';
import {findShipped, shippedNames, shippedTrace} from '../link/shippedTraces.ts';
import type {TraceOf} from '../link/traceFile.ts';

/** A trace that a direction of the path follows. */
export interface TraceSettings {
  /** The name of a shipped trace, or the name of the file from which the trace was read. */
  readonly name: string;
  /** The trace of a file, as `packedTrace` writes it. Absent for a shipped trace. */
  readonly packed?: string;
  /** The time of the trace at which the run starts. `random`: a time that depends on the run's seed. */
  readonly startMs: number | 'random';
  /** Whether the trace is repeated. If not, the path has its constant rate or delay after the trace's end. */
  readonly repeats: boolean;
}

/** The traces of one direction. `null` in a change ends a trace. */
export interface DirectionTraces {
  readonly trace?: TraceSettings | null;
  readonly delayTrace?: TraceSettings | null;
}

export const TRACE_KEYS = {trace: 'capacity', delayTrace: 'delay'} as const satisfies Record<string, TraceOf>;

const start: Parser<number | 'random'> = describedBy(
  () => ({anyOf: [schemaOf(startTime), {const: 'random'}]}),
  (value, path, problems) => {
    if (typeof value === 'number') return startTime(value, path, problems);
    return value === 'random' ? value : fail(problems, path, value, `"random", or a time of 0 to ${LONGEST_MS} ms`);
  },
);

const startTime = number(0, LONGEST_MS);

const OF_ANY_TRACE = {
  startMs: optional(start, 0, {
    about:
      'The time of the trace at which the run starts, in ms. With "random" it depends on the seed and on the length ' +
      'of the trace, and is the same for all panes.',
    default: 0,
  }),
  repeats: optional(boolean(), true, {
    about:
      'Whether the trace starts again after its end. If not, path.rateBps holds after its end, or path.rttMs after ' +
      'the end of a trace of the delay.',
    default: true,
  }),
};

const NAME_LENGTH = 200;

const packedTraceObject = object('a trace', {
  name: required(text(NAME_LENGTH), {about: 'The name of a shipped trace, or of the file that was read.'}),
  packed: optional(text(1_000_000), undefined, {
    about: 'The trace of a file that was read. The program writes it.',
  }),
  ...OF_ANY_TRACE,
});

const fileSchema: JsonSchema = {
  type: 'object',
  properties: {
    file: {
      description: 'A file beside the scenario: CSV with a time in s and a value in each line, or Mahimahi’s format.',
      type: 'string',
    },
    ...Object.fromEntries(
      Object.entries(OF_ANY_TRACE).map(([key, {parse, text}]) => [
        key,
        {description: text?.about, ...schemaOf(parse), default: text?.default},
      ]),
    ),
  },
  required: ['file'],
  additionalProperties: false,
};

/**
 * Returns the parser of a trace: the name of a shipped trace, an object with `name`, or null for no trace. Traces in
 * files must have been read before (`withTraceFiles` in main/), because documents are parsed without access to files.
 */
export function traceSettings(of: TraceOf): Parser<TraceSettings | null> {
  const shipped = oneOf(shippedNames(of));
  const schema = (): JsonSchema => {
    return {anyOf: [schemaOf(shipped), schemaOf(packedTraceObject), fileSchema, {type: 'null'}]};
  };
  return describedBy(schema, (value, path, problems) => {
    if (value === null) return null;
    if (typeof value === 'string') return isShipped(value, of, path, problems) ? {name: value, ...DEFAULTS} : INVALID;
    if (isObject(value) && Object.hasOwn(value, 'file')) return fail(problems, path, value, FILES_ARE_READ);
    const parsed = packedTraceObject(value, path, problems);
    if (parsed === INVALID) return INVALID;
    const {packed, ...others} = parsed;
    if (packed === undefined && !isShipped(others.name, of, `${path}.name`, problems)) return INVALID;
    if (packed !== undefined) {
      const unpacked = unpackedTrace(packed, of);
      if (!unpacked.ok) return fail(problems, `${path}.packed`, packed, `a packed trace: it ${unpacked.message}`);
    }
    const settings: TraceSettings = packed === undefined ? others : {...others, packed};
    const length = periodMs(traceOf(settings, of, 'down'));
    if (settings.startMs === 'random' || settings.startMs < length) return settings;
    return fail(problems, `${path}.startMs`, settings.startMs, `less than ${length}, the length of the trace in ms`);
  });
}

const DEFAULTS = {startMs: 0, repeats: true} as const;

const FILES_ARE_READ =
  'the name of a shipped trace, or a trace that was read from its file. Such files are read if the scenario is opened ' +
  'as a file, and by the command line and scripts';

function isShipped(name: string, of: TraceOf, path: string, problems: Problem[]): boolean {
  const names = shippedNames(of);
  if (names.includes(name)) return true;
  const near = nearest(name, names);
  const hint = near === undefined ? '; for a file, write {"file": "NAME"}' : `; did you mean "${near}"?`;
  fail(problems, path, name, names.map(each => `"${each}"`).join(' or '), {hint});
  return false;
}

/** Returns the trace that valid settings name. @throws RangeError if there is no such trace, which is a bug */
export function traceOf({name, packed}: TraceSettings, of: TraceOf, direction: 'down' | 'up'): LinkTrace {
  const known = findShipped(name);
  if (packed === undefined) {
    const trace = known && shippedTrace(known.name, of, direction);
    if (trace !== undefined) return trace;
    throw new RangeError(`no trace of the ${of} is called ${name}`);
  }
  const unpacked = unpackedTrace(packed, of);
  if (!unpacked.ok) throw new RangeError(`trace ${name}: ${unpacked.message}`);
  return unpacked.trace;
}

/** Returns the time of the trace at which a run with this seed starts, in whole ms. */
export function startMsOf({startMs}: TraceSettings, trace: LinkTrace, seed: number): number {
  if (startMs !== 'random') return Math.floor(startMs);
  return Math.floor(shareOf(seed) * periodMs(trace));
}

/**
 * Returns a number in [0, 1) that depends on the seed in no obvious way. It is the same for all traces, so that the
 * directions of one recording stay together. (The mixing function is that of MurmurHash3, applied to both 32-bit halves
 * of the seed.)
 */
function shareOf(seed: number): number {
  let mixed = mix((seed % 2 ** 32) ^ START);
  mixed = mix(mixed ^ Math.floor(seed / 2 ** 32));
  return (mixed >>> 0) / 2 ** 32;
}

function mix(bits: number): number {
  let mixed = Math.imul(bits ^ (bits >>> 16), 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return mixed ^ (mixed >>> 16);
}

/** Any number other than 0, so that seed 0 does not start at 0. */
const START = 0x5eed_1e55;

/** Returns a trace as it is written in a scenario document. */
export function traceDocument(trace: TraceSettings | null): Json {
  if (trace === null) return null;
  const {name, packed, startMs, repeats} = trace;
  const others = {...(startMs === 0 ? {} : {startMs}), ...(repeats ? {} : {repeats})};
  if (packed === undefined && Object.keys(others).length === 0) return name;
  return {name, ...(packed === undefined ? {} : {packed}), ...others};
}

/** Describes a trace in a few words: `LTE in a car`, or `the trace mine.csv`. */
export function traceText({name, packed}: TraceSettings): string {
  return (packed === undefined ? findShipped(name)?.title : undefined) ?? `the trace ${name}`;
}
