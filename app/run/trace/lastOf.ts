import type {Trace} from './trace.ts';
import type {TraceData} from './traceData.ts';

/**
 * Caches the last result of a function of a trace, as long as its arguments stay the same. A screen asks several times
 * for each drawing, and at every t.
 */
export function lastOf<Args extends readonly object[], T>(
  compute: (trace: Trace, ...args: Args) => T,
): (trace: Trace, ...args: Args) => T {
  // A trace that grows has a new data object.
  const last = new WeakMap<TraceData, {readonly args: Args; readonly value: T}>();
  return (trace, ...args) => {
    const known = last.get(trace.data);
    if (known?.args.every((arg, i) => arg === args[i])) return known.value;
    const value = compute(trace, ...args);
    last.set(trace.data, {args, value});
    return value;
  };
}
