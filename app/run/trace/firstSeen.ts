import type {Trace} from './trace.ts';

/**
 * Returns the first time at which at least one pane may show a part of the page, in ns since the run's start: the HTML
 * is complete, or bytes of another object have arrived. Returns 0 if neither ever happens.
 */
export function firstSeenNs(traces: readonly Trace[]): number {
  const seen = traces.flatMap(trace =>
    trace.data.objects.flatMap((_, i) => (i === 0 ? trace.reachedNs(0, 100) : trace.deliveriesOf(i).atNs[0]) ?? []),
  );
  return seen.length === 0 ? 0 : Math.min(...seen);
}
