import type {ResponseOrder} from './responseOrder.ts';

/**
 * Orders responses as Go does since version 1.21 (`http2roundRobinWriteScheduler`): the streams form a ring, and each
 * write is followed by a write of the next stream of the ring that can write. A new stream comes last in the ring.
 * Priorities have no effect.
 */
export class RingScheduler implements ResponseOrder {
  /** The streams in the order of the ring. The first one is asked first. */
  #ring: number[] = [];

  add(id: number): void {
    this.#ring.push(id);
  }

  remove(id: number): void {
    this.#ring = this.#ring.filter(each => each !== id);
  }

  reprioritize(): void {}

  depend(): void {}

  next(canWrite: (id: number) => boolean): {readonly id: number; readonly mostBytes: number} | undefined {
    const id = this.#ring.find(canWrite);
    return id === undefined ? undefined : {id, mostBytes: Number.POSITIVE_INFINITY};
  }

  handleWritten(id: number): void {
    const at = this.#ring.indexOf(id) + 1;
    this.#ring = [...this.#ring.slice(at), ...this.#ring.slice(0, at)];
  }
}
