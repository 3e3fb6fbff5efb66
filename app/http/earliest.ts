/** The earliest of the known times. Undefined if none is known. */
export function earliest(...times: readonly (number | undefined)[]): number | undefined {
  let first: number | undefined;
  for (const time of times) {
    if (time !== undefined && (first === undefined || time < first)) first = time;
  }
  return first;
}
