import type {Trace} from './trace.ts';
import type {TraceData} from './traceData.ts';

/**
 * A function of a trace that gives what it gave last while it is asked for the same: a screen asks several times at
 * every draw, and at every t.
 */
export function lastOf<Args extends readonly object[], T>(
  compute: (trace: Trace, ...args: Args) => T,
): (trace: Trace, ...args: Args) => T {
  // a trace that grows has other data from then on
  const last = new WeakMap<TraceData, {readonly args: Args; readonly value: T}>();
  return (trace, ...args) => {
    const known = last.get(trace.data);
    if (known?.args.every((arg, i) => arg === args[i])) return known.value;
    const value = compute(trace, ...args);
    last.set(trace.data, {args, value});
    return value;
  };
}
