import type {LinkTrace, Step} from './linkTrace.ts';
import {SHIPPED_NUMBERS, STEP_MS} from './shippedNumbers.ts';
import type {TraceOf} from './traceFile.ts';

/**
 * A trace that is part of the program. No trace is a recording: each is drawn from a model. `fixtures/traces/README.md`
 * has the sources of the models.
 */
export interface ShippedTrace {
  readonly name: ShippedName;
  /** A few words for people. */
  readonly title: string;
}

type ShippedName = keyof typeof SHIPPED_NUMBERS;

/** To add a trace, add it here and in `fixtures/traces/make.mjs`, and run that script. */
export const SHIPPED_TRACES: readonly ShippedTrace[] = [
  {name: 'hspa-bus', title: '3G on a bus'},
  {name: 'lte-driving', title: 'LTE in a car'},
  {name: 'lte-train', title: 'LTE on a train with tunnels'},
  {name: '5g-driving', title: '5G in a car'},
  {name: '5g-mmwave-walking', title: '5G (mmWave) while walking'},
  {name: 'wifi-crowded', title: 'Wi-Fi among many neighbours'},
  {name: 'wifi-walking', title: 'Wi-Fi while walking away and back'},
  {name: 'starlink', title: 'Starlink, with a new satellite every 15 s'},
];

export function findShipped(name: string): ShippedTrace | undefined {
  return SHIPPED_TRACES.find(trace => trace.name === name);
}

/** Returns the names of the shipped traces that have a capacity, or of those that have a delay. */
export function shippedNames(of: TraceOf): readonly string[] {
  return SHIPPED_TRACES.filter(({name}) => of === 'capacity' || 'delayDown' in SHIPPED_NUMBERS[name]).map(
    ({name}) => name,
  );
}

/** Returns the capacity or the delay of one direction in a shipped trace. Undefined if the trace has no delay. */
export function shippedTrace(name: ShippedName, of: TraceOf, direction: 'down' | 'up'): LinkTrace | undefined {
  const key = `${name} ${of} ${direction}`;
  const known = parsed.get(key);
  if (known !== undefined) return known;
  const numbers: {readonly unitBps: number} & Readonly<Record<string, string | number>> = SHIPPED_NUMBERS[name];
  const values = numbers[of === 'capacity' ? direction : direction === 'down' ? 'delayDown' : 'delayUp'];
  if (typeof values !== 'string') return undefined;
  const trace = stepsOf(values, of === 'capacity' ? numbers.unitBps : 0.1);
  parsed.set(key, trace);
  return trace;
}

const parsed = new Map<string, LinkTrace>();

/** Makes the steps of a packed series. Equal values that follow each other become one step. */
function stepsOf(series: string, unit: number): LinkTrace {
  const values = unpacked(series).map(value => Math.round(value * unit * 10) / 10);
  const rows = values
    .map((value, row): Step => [row * STEP_MS, value])
    .filter(([, value], row) => row === 0 || value !== values[row - 1]);
  return {kind: 'steps', rows, periodMs: values.length * STEP_MS};
}

/**
 * Returns the values of a series that `fixtures/traces/make.mjs` has packed. A difference d is packed as the number 2d,
 * or as −2d − 1 if d is negative.
 */
function unpacked(series: string): readonly number[] {
  const count = series.length / 2;
  let value = 0;
  return Array.from({length: count}, (_, i) => {
    const code = 64 * DIGITS.indexOf(series[i] ?? '') + DIGITS.indexOf(series[count + i] ?? '');
    value += code % 2 === 0 ? code / 2 : -(code + 1) / 2;
    return value;
  });
}

/** The digits of base64 (RFC 4648 §4). */
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
