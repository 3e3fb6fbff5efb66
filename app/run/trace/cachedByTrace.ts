import type {Trace} from './trace.ts';
import type {TraceData} from './traceData.ts';

/**
 * Makes a function remember its last result for each trace. The function returns this result again as long as its other
 * arguments are the same objects. This saves time, because the window calls such functions several times for each
 * frame that it draws.
 */
export function cachedByTrace<Args extends readonly object[], T>(
  compute: (trace: Trace, ...args: Args) => T,
): (trace: Trace, ...args: Args) => T {
  // A trace gets a new data object each time it grows, so no result from before is returned afterwards.
  const last = new WeakMap<TraceData, {readonly args: Args; readonly value: T}>();
  return (trace, ...args) => {
    const known = last.get(trace.data);
    if (known?.args.every((arg, i) => arg === args[i])) return known.value;
    const value = compute(trace, ...args);
    last.set(trace.data, {args, value});
    return value;
  };
}
