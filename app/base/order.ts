/** Index of the first of the ascending `values` that is greater than `value`. */
export function firstAbove(values: ArrayLike<number>, value: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] ?? 0) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Rows of a table whose ascending column `pointers` equals `row`, which is a row of another table. */
export function rowsOf(pointers: Uint32Array, row: number): readonly number[] {
  const rows: number[] = [];
  for (let at = firstAbove(pointers, row - 1); pointers[at] === row; at++) rows.push(at);
  return rows;
}
