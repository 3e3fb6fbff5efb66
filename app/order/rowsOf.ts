import {firstAbove} from './firstAbove.ts';

/** The rows of a table whose `pointers`, which ascend, point to `row` of another. */
export function rowsOf(pointers: Uint32Array, row: number): readonly number[] {
  const rows: number[] = [];
  for (let at = firstAbove(pointers, row - 1); pointers[at] === row; at++) rows.push(at);
  return rows;
}
