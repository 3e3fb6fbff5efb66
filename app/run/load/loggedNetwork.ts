import {Joiner} from '../../http/buffers.ts';
import type {OpenQuic, OpenSctp, OpenTcp, Piece, StagePath, StreamPiece, Transports} from '../../http/transports.ts';
import type {NetworkCalls} from './loadNetwork.ts';

/**
 * Called for each piece of a write, unless the transport accepted no byte of it. `bytes` is the number of bytes that
 * the transport accepted, and `object` is the object to which they belong, or null if they belong to none.
 */
type OnWritten = (endpoint: number, stream: number, bytes: number, object: number | null) => void;

/** A network that reports how many bytes each write added to a stream, and to which objects they belong. */
export class LoggedNetwork implements Transports {
  readonly #network: NetworkCalls;
  readonly #onWritten: OnWritten;
  #parts = new Uint32Array(0);
  #readBytes = 0;

  constructor(network: NetworkCalls, onWritten: OnWritten) {
    this.#network = network;
    this.#onWritten = onWritten;
  }

  write(endpoint: number, stream: number, pieces: readonly Piece[]): number {
    const taken = this.#network.write(endpoint, stream, joiner.join(pieces));
    let left = taken;
    for (const {bytes, object} of pieces) {
      const written = Math.min(left, bytes.length);
      if (written > 0) this.#onWritten(endpoint, stream, written, object);
      left -= written;
    }
    return taken;
  }

  writeStreams(endpoint: number, pieces: readonly StreamPiece[]): number {
    const taken = this.#network.writeParts(endpoint, this.#partsOf(pieces), joiner.join(pieces));
    let left = taken;
    for (const {stream, bytes, object} of pieces) {
      const written = Math.min(left, bytes.length);
      if (written > 0) this.#onWritten(endpoint, stream, written, object);
      left -= written;
    }
    return taken;
  }

  /** Returns how many bytes have been read since the last call of this function. */
  takeReadBytes(): number {
    const bytes = this.#readBytes;
    this.#readBytes = 0;
    return bytes;
  }

  /** Returns the numbers that `writeParts` expects for these pieces. The next call overwrites the returned array. */
  #partsOf(pieces: readonly StreamPiece[]): Uint32Array {
    const size = PART_NUMBERS * pieces.length;
    if (size > this.#parts.length) this.#parts = new Uint32Array(2 * size);
    let at = 0;
    for (const {stream, bytes, isEnd} of pieces) {
      this.#parts[at++] = stream;
      this.#parts[at++] = bytes.length;
      this.#parts[at++] = isEnd ? 1 : 0;
    }
    return this.#parts.subarray(0, size);
  }

  send(endpoint: number, stream: number, bytes: Uint8Array, object: number | null): boolean {
    const isTaken = this.#network.send(endpoint, stream, bytes);
    if (isTaken) this.#onWritten(endpoint, stream, bytes.length, object);
    return isTaken;
  }

  addPath(path: StagePath): number {
    return this.#network.addPath(path);
  }

  openTcp(options: OpenTcp) {
    return this.#network.openTcp(options);
  }

  openSctp(options: OpenSctp) {
    return this.#network.openSctp(options);
  }

  openQuic(options: OpenQuic) {
    return this.#network.openQuic(options);
  }

  openUdp() {
    return this.#network.openUdp();
  }

  connect(endpoint: number): void {
    this.#network.connect(endpoint);
  }

  read(endpoint: number, stream: number): Uint8Array {
    const bytes = this.#network.read(endpoint, stream);
    this.#readBytes += bytes.length;
    return bytes;
  }

  renew(endpoint: number, stream: number): void {
    this.#network.renew(endpoint, stream);
  }

  maxMessageInPacketBytes(endpoint: number): number {
    return this.#network.maxMessageInPacketBytes(endpoint);
  }
}

/**
 * All loads share this memory. This is safe because the network copies the written bytes before the call returns.
 */
const joiner = new Joiner();
const PART_NUMBERS = 3;
