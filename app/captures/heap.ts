/** A queue of numbers that gives out the least one first. */
export class Heap {
  readonly #numbers: number[] = [];

  get least(): number | undefined {
    return this.#numbers[0];
  }

  add(number: number): void {
    const heap = this.#numbers;
    let at = heap.length;
    heap.push(number);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if ((heap[parent] ?? 0) <= number) break;
      heap[at] = heap[parent] ?? 0;
      at = parent;
    }
    heap[at] = number;
  }

  removeLeast(): void {
    const heap = this.#numbers;
    const moved = heap.pop();
    if (moved === undefined || heap.length === 0) return;
    let at = 0;
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      if ((heap[child + 1] ?? Number.POSITIVE_INFINITY) < (heap[child] ?? 0)) child += 1;
      if ((heap[child] ?? 0) >= moved) break;
      heap[at] = heap[child] ?? 0;
      at = child;
    }
    heap[at] = moved;
  }
}
