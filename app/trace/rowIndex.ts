/** Rows of a table by the row of another table that they point to. */
export class RowIndex {
  readonly #starts: Uint32Array;

  /** `pointers` ascend; the other table has `rows` rows. */
  constructor(pointers: Uint32Array, rows: number) {
    this.#starts = new Uint32Array(rows + 1);
    for (const row of pointers) this.#starts[row + 1] = (this.#starts[row + 1] ?? 0) + 1;
    for (let row = 0; row < rows; row++) {
      this.#starts[row + 1] = (this.#starts[row + 1] ?? 0) + (this.#starts[row] ?? 0);
    }
  }

  /** The rows that point to `row`. */
  of(row: number): readonly number[] {
    const rows: number[] = [];
    const end = this.#starts[row + 1] ?? 0;
    for (let at = this.#starts[row] ?? 0; at < end; at++) rows.push(at);
    return rows;
  }
}
