import {behind} from './bytes.ts';
import {Room} from './room.ts';
import type {Piece} from './transports.ts';

/** One end of a connection that many messages share: all that it has to write at one moment goes out together. */
export class MultiplexedWriter<P extends Piece> {
  readonly #write: (pieces: readonly P[]) => number;
  /** What the transport did not take. */
  #unsent: readonly P[] = [];
  #isGone = false;

  /** `write` gives how many bytes were taken, of the first pieces. */
  constructor(write: (pieces: readonly P[]) => number) {
    this.#write = write;
  }

  handleGone(): void {
    this.#isGone = true;
  }

  /** Writes what there is; gives whether the transport did not take all. */
  write(poll: () => P | undefined): boolean {
    if (this.#isGone) return false;
    const pieces = [...this.#unsent];
    for (let piece = poll(); piece !== undefined; piece = poll()) pieces.push(piece);
    this.#unsent = this.#writeInBatches(pieces);
    return this.#unsent.length > 0;
  }

  /** Gives what the transport did not take: it is full then, and is offered no more. */
  #writeInBatches(pieces: readonly P[]): readonly P[] {
    let left = pieces;
    while (left.length > 0) {
      const {batch, bytes} = firstBatch(left);
      const taken = this.#write(batch);
      left = behind(left, taken);
      if (taken < bytes) break;
    }
    return left;
  }
}

/** The first pieces, as long as they have not {@link BATCH_BYTES} yet. */
function firstBatch<P extends Piece>(pieces: readonly P[]): {readonly batch: readonly P[]; readonly bytes: number} {
  let [count, bytes] = [0, 0];
  for (const piece of pieces) {
    if (bytes >= BATCH_BYTES) break;
    count += 1;
    bytes += piece.bytes.length;
  }
  return {batch: pieces.slice(0, count), bytes};
}

/**
 * So much is offered to the transport at once. Each offer is copied, and one whose send buffer is full takes a packet of
 * it: megabytes that wait would be copied again for each acknowledgement.
 */
const BATCH_BYTES = 131_072;

/** What a server has to write. */
interface ServerSource<P> {
  /** What is not a body's. */
  pollFrames(nowNs: number): P | undefined;
  /** The next piece of a body. */
  pollData(): P | undefined;
}

/** The server's, which holds bodies back until its transport sends them soon. */
export class ServerWriter<P extends Piece> {
  readonly #room = new Room();
  readonly #writer: MultiplexedWriter<P>;

  constructor(write: (pieces: readonly P[]) => number) {
    this.#writer = new MultiplexedWriter(write);
  }

  handleGone(): void {
    this.#writer.handleGone();
  }

  handleRoom(bytes: number): void {
    this.#room.handleRoom(bytes);
  }

  /** Gives whether the transport did not take all that is not held back. */
  write(source: ServerSource<P>, nowNs: number): boolean {
    return this.#writer.write(() => {
      const piece = source.pollFrames(nowNs) ?? (this.#room.isLeft ? source.pollData() : undefined);
      this.#room.handleWritten(piece?.bytes.length ?? 0);
      return piece;
    });
  }
}
