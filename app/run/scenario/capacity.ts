import {firstAbove} from '../../base/order.ts';
import {type LinkTrace, OPPORTUNITY_BYTES, periodMs} from '../link/linkTrace.ts';
import {isComputedPath} from './capturedPath.ts';
import {changePath, type PathSettings} from './path.ts';
import type {Scenario} from './scenario.ts';
import {startMsOf, traceOf} from './traceSettings.ts';

/** The rate of one direction of a path over time: `bps[i]` from `atNs[i]` on. */
export interface Capacity {
  readonly atNs: readonly number[];
  readonly bps: readonly number[];
}

/** The rate of a direction whose rate changes over time. */
export interface PathCapacity {
  readonly way: 'down' | 'up';
  readonly rates: Capacity;
}

/**
 * Returns the rate of the direction whose rate changes over time. If both rates change, returns that of the direction
 * down. Null if both rates are constant, or if the path is live or captured.
 */
export function pathCapacity(scenario: Scenario, untilNs: number): PathCapacity | null {
  for (const way of ['down', 'up'] as const) {
    const rates = capacityOver(scenario, way, untilNs);
    if (rates !== undefined) return {way, rates};
  }
  return null;
}

/**
 * Returns the rate of a direction from the start of the run to `untilNs`. If a trace lists delivery opportunities
 * (times at which the link can deliver {@link OPPORTUNITY_BYTES}), they are counted in intervals of {@link BIN_MS}.
 * Undefined if the rate is the same all the time, or if the path is live or captured.
 */
export function capacityOver(scenario: Scenario, way: 'down' | 'up', untilNs: number): Capacity | undefined {
  if (!isComputedPath(scenario.path)) return undefined;
  const [atNs, bps]: [number[], number[]] = [[], []];
  const add = (at: number, rate: number): void => {
    if (bps.at(-1) === rate) return;
    atNs.push(at);
    bps.push(rate);
  };
  let path = scenario.path;
  let fromNs = 0;
  const parts = [...scenario.changes.map(({atMs, path}) => ({toNs: atMs * 1e6, path})), {toNs: untilNs, path: null}];
  for (const {toNs, path: change} of parts) {
    addPart(path, way, scenario.seed, [fromNs, Math.min(toNs, untilNs)], add);
    if (change !== null) path = changePath(path, change);
    fromNs = toNs;
  }
  return bps.length > 1 ? {atNs, bps} : undefined;
}

/** Adds the rates of a path from one time to another. */
function addPart(
  path: PathSettings,
  way: 'down' | 'up',
  seed: number,
  [fromNs, toNs]: readonly [number, number],
  add: (atNs: number, bps: number) => void,
): void {
  if (toNs <= fromNs) return;
  const settings = path[way]?.trace;
  if (!settings) {
    add(fromNs, path.rateBps[way]);
    return;
  }
  const trace = traceOf(settings, 'capacity', way);
  const startMs = startMsOf(settings, trace, seed);
  const endMs = settings.repeats ? Number.POSITIVE_INFINITY : periodMs(trace) - startMs;
  const toMs = Math.min(toNs / 1e6, endMs);
  for (let atMs = fromNs / 1e6; atMs < toMs; ) {
    const {bps, untilMs} = stepAt(trace, atMs + startMs);
    add(atMs * 1e6, bps);
    // without a smallest step, rounding could keep `atMs` from growing
    atMs = Math.max(untilMs - startMs, atMs + LEAST_STEP_MS);
  }
  if (endMs < toNs / 1e6) add(Math.max(endMs * 1e6, fromNs), path.rateBps[way]);
}

/**
 * Returns the rate of a trace at a time, and the time until which this rate lasts. After its end, the trace repeats.
 */
function stepAt(trace: LinkTrace, atMs: number): {readonly bps: number; readonly untilMs: number} {
  const period = periodMs(trace);
  const before = Math.floor(atMs / period) * period;
  const place = atMs - before;
  if (trace.kind === 'steps') {
    const next = trace.rows.findIndex(([ms]) => ms > place);
    const row = trace.rows[(next < 0 ? trace.rows.length : next) - 1];
    return {bps: row?.[1] ?? 0, untilMs: before + (next < 0 ? period : (trace.rows[next]?.[0] ?? period))};
  }
  const bin = Math.floor(place / BIN_MS) * BIN_MS;
  const end = Math.min(bin + BIN_MS, period);
  const bytes = (firstAbove(trace.timesMs, end) - firstAbove(trace.timesMs, bin)) * OPPORTUNITY_BYTES;
  return {bps: (bytes * 8e3) / (end - bin), untilMs: before + end};
}

/**
 * The length of the intervals in which delivery opportunities are counted, in ms. At 1 Mbit/s, an interval has a few
 * packets.
 */
const BIN_MS = 100;
/** One nanosecond, in ms. */
const LEAST_STEP_MS = 1e-6;
