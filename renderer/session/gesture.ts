import type {Json} from '../../app/base/json.ts';
import type {ParsedScenario, Scenario} from '../../app/run/scenario/scenario.ts';
import {canChangeOnTheWay, editFromNow, editWholeRun} from './edit.ts';

/** The edits of one key while a hand is on its control: one step of the history. */
export interface Gesture {
  readonly key: string;
  /** Before it. */
  readonly base: Scenario;
  /** With what of it t has passed already. */
  readonly watched: Scenario;
  /** From when on its newest change holds, ms; null for the whole run. */
  readonly atMs: number | null;
  /** The newest change's; undefined where that was refused. */
  readonly value: Json | undefined;
}

interface Edit {
  readonly key: string;
  readonly value: Json;
  /** As it is now. */
  readonly scenario: Scenario;
  /** What is on show, ns since the run's start. */
  readonly tNs: number;
  readonly isFromNow: boolean;
}

/**
 * The gesture with one more edit, and the scenario that this makes. From now on, each change is dated at t, so
 * what was watched stays; where no t passed since the one before, it replaces that. Of those within
 * {@link SHORTEST_MS} of each other only the newest is kept, and holds from that long after the first on.
 */
export function goOn(
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

/** The hand is off: a change that t has not reached holds from t on. Undefined if there is none. */
export function settled({key, watched, atMs, value}: Gesture, tNs: number): ParsedScenario | undefined {
  const nowMs = shownMs(tNs);
  // where a shorter run or a hand took t back, it stays before what holds from then on
  const isAhead = atMs !== null && atMs > nowMs && atMs - SHORTEST_MS < nowMs;
  if (!isAhead || value === undefined) return undefined;
  return editFromNow(watched, key, value, nowMs);
}

/** What stays of a gesture when its next edit is refused: what was watched, but nothing else of it. */
export function withoutNewest({watched, atMs}: Gesture, scenario: Scenario, tNs: number): Scenario {
  return atMs !== null && atMs < shownMs(tNs) ? scenario : watched;
}

/** The first whole ms that is not on show yet, or is just now: when a change made at t (ns) holds from. */
export function shownMs(tNs: number): number {
  // less than a picosecond is a rounding error of what was typed
  return Math.ceil(tNs / 1e6 - 1e-9);
}

/** As often as an eye can tell changes apart, of the run's time: a long drag must stay readable in a file. */
const SHORTEST_MS = 250;
