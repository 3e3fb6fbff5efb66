import type {Trace} from './trace.ts';

/**
 * Returns the first time at which a part of the page can be seen in one of the panes, in ns since the run's start: its
 * HTML is complete, or something of another object has arrived. Returns 0 if nothing ever arrives.
 */
export function firstSeenNs(traces: readonly Trace[]): number {
  const seen = traces.flatMap(trace =>
    trace.data.objects.flatMap((_, i) => (i === 0 ? trace.reachedNs(0, 100) : trace.deliveriesOf(i).atNs[0]) ?? []),
  );
  return seen.length === 0 ? 0 : Math.min(...seen);
}
