import {withoutFirst} from './buffers.ts';
import {Room} from './room.ts';
import type {Piece} from './transports.ts';

/**
 * Writes the output of one end of a connection that many messages share. Pieces that are ready are passed to the
 * transport together, in batches of about {@link BATCH_BYTES}.
 */
export class MultiplexedWriter<P extends Piece> {
  readonly #write: (pieces: readonly P[]) => number;
  /** Pieces that the transport has not accepted yet. */
  #unsent: readonly P[] = [];
  #isGone = false;

  /** `write` must return the number of bytes that the transport accepted, counted from the start of the first piece. */
  constructor(write: (pieces: readonly P[]) => number) {
    this.#write = write;
  }

  handleGone(): void {
    this.#isGone = true;
  }

  /** Writes all pieces that `poll` returns. Returns true if the transport did not accept all of them. */
  write(poll: () => P | undefined): boolean {
    if (this.#isGone) return false;
    let piece = poll();
    if (piece === undefined && this.#unsent.length === 0) return false;
    const pieces = [...this.#unsent];
    for (; piece !== undefined; piece = poll()) pieces.push(piece);
    this.#unsent = this.#writeInBatches(pieces);
    return this.#unsent.length > 0;
  }

  /**
   * Writes pieces in batches until the transport does not accept a whole batch. Returns the pieces that were not
   * accepted.
   */
  #writeInBatches(pieces: readonly P[]): readonly P[] {
    let left = pieces;
    while (left.length > 0) {
      const {batch, bytes} = firstBatch(left);
      const taken = this.#write(batch);
      left = withoutFirst(left, taken);
      if (taken < bytes) break;
    }
    return left;
  }
}

/**
 * Returns the first pieces that together have at least {@link BATCH_BYTES}, or all pieces if their total is smaller.
 */
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
 * Size at which a batch ends. The transport copies each batch, but a nearly full send buffer accepts only about one
 * packet of it. Without this limit, megabytes that wait would be copied again after each acknowledgement.
 */
const BATCH_BYTES = 131_072;

/** The output of a server. */
interface ServerSource<P> {
  /** Returns the next piece that is not part of a body, or undefined if there is none. */
  pollFrames(nowNs: number): P | undefined;
  /**
   * Returns the next piece of a body, or undefined if there is none. A server with handlers (`h2/handlers.ts`) also
   * returns its heads here.
   */
  pollData(nowNs: number): P | undefined;
}

/**
 * Writes the output of a server. What `pollData` returns is held back while the transport has enough unsent bytes
 * (`aheadBytes`).
 */
export class ServerWriter<P extends Piece> {
  readonly #room: Room;
  readonly #writer: MultiplexedWriter<P>;

  /** `aheadBytes` must equal the option of this name with which the transport was opened. */
  constructor(write: (pieces: readonly P[]) => number, aheadBytes?: number) {
    this.#room = new Room(aheadBytes);
    this.#writer = new MultiplexedWriter(write);
  }

  handleGone(): void {
    this.#writer.handleGone();
  }

  handleRoom(bytes: number): void {
    this.#room.handleRoom(bytes);
  }

  /** Writes all output that is not held back. Returns true if the transport did not accept all of it. */
  write(source: ServerSource<P>, nowNs: number): boolean {
    return this.#writer.write(() => {
      const piece = source.pollFrames(nowNs) ?? (this.#room.isLeft ? source.pollData(nowNs) : undefined);
      this.#room.handleWritten(piece?.bytes.length ?? 0);
      return piece;
    });
  }
}
