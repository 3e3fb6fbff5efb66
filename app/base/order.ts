/** Index of the first of the ascending `values` above `value`. */
export function firstAbove(values: ArrayLike<number>, value: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] ?? 0) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The rows of a table whose `pointers`, which ascend, point to `row` of another. */
export function rowsOf(pointers: Uint32Array, row: number): readonly number[] {
  const rows: number[] = [];
  for (let at = firstAbove(pointers, row - 1); pointers[at] === row; at++) rows.push(at);
  return rows;
}
