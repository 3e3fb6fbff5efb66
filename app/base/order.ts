/**
 * Returns the index of the first of the ascending `values` that is greater than `value`. If no value is greater,
 * returns the number of values.
 */
export function firstAbove(values: ArrayLike<number>, value: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] ?? 0) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Returns the rows of a table that point to `row` of another table. `pointers` is the column with the pointers, which
 * must be ascending.
 */
export function rowsOf(pointers: Uint32Array, row: number): readonly number[] {
  const rows: number[] = [];
  for (let at = firstAbove(pointers, row - 1); pointers[at] === row; at++) rows.push(at);
  return rows;
}
