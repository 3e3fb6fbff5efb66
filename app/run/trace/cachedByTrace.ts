import type {Trace} from './trace.ts';
import type {TraceData} from './traceData.ts';

/**
 * Makes a function of a trace remember its last result for each trace. The result is used again as long as the other
 * arguments are the same. This saves time, because the window calls such a function several times for each drawing, and
 * at every t.
 */
export function cachedByTrace<Args extends readonly object[], T>(
  compute: (trace: Trace, ...args: Args) => T,
): (trace: Trace, ...args: Args) => T {
  // A trace gets a new data object whenever it grows, so results from before are not used again.
  const last = new WeakMap<TraceData, {readonly args: Args; readonly value: T}>();
  return (trace, ...args) => {
    const known = last.get(trace.data);
    if (known?.args.every((arg, i) => arg === args[i])) return known.value;
    const value = compute(trace, ...args);
    last.set(trace.data, {args, value});
    return value;
  };
}
