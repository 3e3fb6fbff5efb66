import type {Trace} from '../trace/trace.ts';
import {isLeftOut} from '../trace/traceData.ts';
import {type CauseTotal, causeDifference, causeTotals, sumNs} from './causeTotals.ts';
import {criticalPath, type WhyOptions} from './criticalPath.ts';
import {objectPaths} from './loadPaths.ts';
import {targetOf} from './whyTarget.ts';

/** One of two loads that are compared. They may be of different scenarios. Each was computed, live or captured. */
export interface DiffSide {
  readonly trace: Trace;
  readonly options: WhyOptions;
}

/** The time of a moment in one load, divided by cause. Null if the load never reached the moment. */
export type SideTime = {readonly ns: number; readonly causes: readonly CauseTotal[]} | null;

/** The same moment in two loads. */
export interface TimeDiff {
  readonly sides: readonly [SideTime, SideTime];
  /** Second load minus first load, ns. Null if one of them never reached the moment. */
  readonly moreNs: number | null;
  /** How much more time each cause has in the second load, ns. Their sum is `moreNs`. Empty if `moreNs` is null. */
  readonly causes: readonly CauseTotal[];
}

/**
 * An object that at least one of the loads has. An object of one load is compared with the object of the other load
 * that has the same address, as the page writes it.
 */
export interface ObjectDiff extends TimeDiff {
  readonly url: string;
  /** Whether each load has the object. A load does not have the objects that it left out (`isLeftOut`). */
  readonly isThere: readonly [boolean, boolean];
}

export interface RunDiff {
  /** The time until the last object was complete. */
  readonly page: TimeDiff;
  /** For each load, the reason why `page` has no time of this load. Null if it has one. */
  readonly reasons: readonly [string | null, string | null];
  /** The objects of the first load in their order, then those that only the second load has. */
  readonly objects: readonly ObjectDiff[];
}

/** Compares two loads by cause: the whole page only. */
export function diffPages(first: DiffSide, second: DiffSide): Omit<RunDiff, 'objects'> {
  const [a, b] = [pageOf(first), pageOf(second)];
  return {page: timeDiff(a.time, b.time), reasons: [a.reason, b.reason]};
}

/** Compares two loads by cause: the whole page, and each object. */
export function diffRuns(first: DiffSide, second: DiffSide): RunDiff {
  const [own, other] = [objectsOf(first), objectsOf(second)];
  const urls = new Set([...own.keys(), ...other.keys()]);
  return {
    ...diffPages(first, second),
    objects: Array.from(urls, url => ({
      url,
      isThere: [own.has(url), other.has(url)],
      ...timeDiff(own.get(url) ?? null, other.get(url) ?? null),
    })),
  };
}

/** Returns the objects with a known difference. Those that differ most come first. */
export function byDifference(objects: readonly ObjectDiff[]): readonly (ObjectDiff & {readonly moreNs: number})[] {
  return objects
    .flatMap(each => (each.moreNs === null ? [] : [{...each, moreNs: each.moreNs}]))
    .sort((a, b) => Math.abs(b.moreNs) - Math.abs(a.moreNs));
}

function pageOf({trace, options}: DiffSide): {readonly time: SideTime; readonly reason: string | null} {
  const found = targetOf(trace, {kind: 'finish'}, options);
  if (!found.ok) return {time: null, reason: found.why};
  return {time: timeOf(causeTotals(criticalPath(trace, found.target, options))), reason: null};
}

function objectsOf({trace, options}: DiffSide): ReadonlyMap<string, SideTime> {
  const paths = objectPaths(trace, options);
  return new Map(
    trace.objects.flatMap((object, i): readonly (readonly [string, SideTime])[] => {
      const path = paths[i] ?? null;
      return isLeftOut(object) ? [] : [[object.url, path === null ? null : timeOf(causeTotals(path))]];
    }),
  );
}

function timeOf(causes: readonly CauseTotal[]): SideTime {
  return {ns: sumNs(causes), causes};
}

function timeDiff(first: SideTime, second: SideTime): TimeDiff {
  if (first === null || second === null) return {sides: [first, second], moreNs: null, causes: []};
  const causes = causeDifference(first.causes, second.causes);
  return {sides: [first, second], moreNs: second.ns - first.ns, causes};
}
