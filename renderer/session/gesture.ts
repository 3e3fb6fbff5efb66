import type {Json} from '../../app/base/json.ts';
import type {ParsedScenario, Scenario} from '../../app/run/scenario/scenario.ts';
import {canChangeOnTheWay, editFromNow, editWholeRun} from './editScenario.ts';

/** The edits of one key while the user holds its control. Together they are one step of the history. */
export interface Gesture {
  readonly key: string;
  /** The scenario before the gesture. */
  readonly base: Scenario;
  /** The scenario with those changes of the gesture that lie before the shown time t. */
  readonly watched: Scenario;
  /** The time from which the newest change applies, ms; null if it applies to the whole run. */
  readonly atMs: number | null;
  /** The value of the newest change; undefined if the value was refused. */
  readonly value: Json | undefined;
}

interface Edit {
  readonly key: string;
  readonly value: Json;
  /** The scenario before this edit. */
  readonly scenario: Scenario;
  /** The time that is shown, ns since the run's start. */
  readonly tNs: number;
  readonly isFromNow: boolean;
}

/**
 * Adds one edit to the gesture, and returns the gesture and the resulting scenario. If edits apply from t on, each
 * change gets the time t, so that the part of the run before t stays. If the previous change has the same t, the new
 * change replaces it. If several changes follow within {@link SHORTEST_MS} after a change, only the newest of
 * them is kept, and it applies {@link SHORTEST_MS} after that change.
 */
export function addToGesture(
  before: Gesture | null,
  {key, value, scenario, tNs, isFromNow}: Edit,
): {readonly gesture: Gesture; readonly parsed: ParsedScenario} {
  const nowMs = shownMs(tNs);
  const base = before?.base ?? scenario;
  if (!isFromNow || !canChangeOnTheWay(key) || nowMs === 0) {
    const watched = before?.atMs === null ? before.watched : scenario;
    return {gesture: {key, base, watched, atMs: null, value}, parsed: editWholeRun(watched, key, value)};
  }
  const lastMs = before?.atMs ?? null;
  const isPassed = lastMs === null || lastMs < nowMs;
  const watched = isPassed || before === null ? scenario : before.watched;
  const atMs = !isPassed ? lastMs : Math.max(nowMs, (lastMs ?? Number.NEGATIVE_INFINITY) + SHORTEST_MS);
  return {
    gesture: {key, base, watched, atMs, value},
    parsed: editFromNow(watched, key, value, atMs),
  };
}

/**
 * Ends the gesture. If its newest change lies after t, the change is moved to t, and the resulting scenario is
 * returned. Otherwise returns undefined.
 */
export function settled({key, watched, atMs, value}: Gesture, tNs: number): ParsedScenario | undefined {
  const nowMs = shownMs(tNs);
  // if t went back (the run became shorter, or the user moved t), the change keeps its time
  const isAhead = atMs !== null && atMs > nowMs && atMs - SHORTEST_MS < nowMs;
  if (!isAhead || value === undefined) return undefined;
  return editFromNow(watched, key, value, nowMs);
}

/** The scenario after a refused edit. It keeps only those changes of the gesture that lie before t. */
export function withoutNewest({watched, atMs}: Gesture, scenario: Scenario, tNs: number): Scenario {
  return atMs !== null && atMs < shownMs(tNs) ? scenario : watched;
}

/** The time t (ns) rounded up to whole ms. A change that is made at t applies from this time on. */
export function shownMs(tNs: number): number {
  // a typed time can exceed a whole ms by a rounding error; an error below a picosecond must not add a whole ms
  return Math.ceil(tNs / 1e6 - 1e-9);
}

/** The shortest time between two changes of one gesture, ms of the run. More changes would make a file hard to read. */
const SHORTEST_MS = 250;
