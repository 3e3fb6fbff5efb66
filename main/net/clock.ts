/** Whole nanoseconds since the clock was started. They never run backwards. */
export type Clock = () => number;

export function startClock(): Clock {
  const start = process.hrtime.bigint();
  return () => Number(process.hrtime.bigint() - start);
}
