import {cachedByTrace} from '../trace/cachedByTrace.ts';
import type {Trace} from '../trace/trace.ts';
import {completeTarget, criticalPath, type PathSpan, type WhyOptions} from './criticalPath.ts';
import {targetOf} from './whyTarget.ts';

/** A critical path, from navigation to its target. */
export type Path = readonly PathSpan[];

/**
 * Returns the critical path of the page, which ends when the last object is complete. Null if the load is not complete.
 */
export const pagePath = cachedByTrace((trace: Trace, options: WhyOptions): Path | null => {
  const found = targetOf(trace, {kind: 'finish'}, options);
  return found.ok ? criticalPath(trace, found.target, options) : null;
});

/** Returns the critical path of each object of a load. It is null for an object that was never complete. */
export const objectPaths = cachedByTrace((trace: Trace, options: WhyOptions): readonly (Path | null)[] =>
  Array.from(trace.objects.keys(), object => {
    const target = completeTarget(trace, object);
    return target === null ? null : criticalPath(trace, target, options);
  }),
);

/** Returns the objects that a path passes through. */
export function objectsOnPath(path: Path): ReadonlySet<number> {
  return new Set(path.map(({object}) => object));
}
