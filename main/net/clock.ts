/** Returns whole nanoseconds since the clock was started. The time never decreases. */
export type Clock = () => number;

export function startClock(): Clock {
  const start = process.hrtime.bigint();
  return () => Number(process.hrtime.bigint() - start);
}
