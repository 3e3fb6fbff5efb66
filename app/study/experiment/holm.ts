/**
 * Holm's correction (1979) of p-values of one family, in their order: with each below α, the chance of even one false
 * alarm in the whole family is at most α. A null is no test and stays.
 */
export function holm(ps: readonly (number | null)[]): readonly (number | null)[] {
  const order = [...ps.entries()].flatMap(([i, p]) => (p === null ? [] : [{i, p}])).sort((a, b) => a.p - b.p);
  const corrected: (number | null)[] = ps.map(() => null);
  let most = 0;
  for (const [rank, {i, p}] of order.entries()) {
    most = Math.max(most, Math.min(1, p * (order.length - rank)));
    corrected[i] = most;
  }
  return corrected;
}
