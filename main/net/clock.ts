/** Whole ns since it was started, which never run backwards. */
export type Clock = () => number;

export function startClock(): Clock {
  const start = process.hrtime.bigint();
  return () => Number(process.hrtime.bigint() - start);
}
