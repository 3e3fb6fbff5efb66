import {roomBytes} from './room.ts';
import {RoomTimes} from './roomTimes.ts';
import type {Transports} from './transports.ts';

/** One end of a connection that many messages share: what it has to write goes out as its transport takes it. */
export class MultiplexedWriter<P extends {readonly bytes: Uint8Array}> {
  readonly #write: (piece: P) => number;
  /** What the transport did not take. */
  #unsent: P | undefined;
  #isGone = false;

  /** `write` gives how many of the piece's bytes were taken. */
  constructor(write: (piece: P) => number) {
    this.#write = write;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  handleGone(): void {
    this.#isGone = true;
  }

  /** Writes what there is; gives whether the transport did not take all. */
  writeAll(poll: () => P | undefined): boolean {
    if (this.#isGone) return false;
    for (;;) {
      this.#unsent ??= poll();
      if (this.#unsent === undefined) return false;
      const taken = this.#write(this.#unsent);
      const {bytes} = this.#unsent;
      if (taken < bytes.length) {
        this.#unsent = {...this.#unsent, bytes: bytes.subarray(taken)};
        return true;
      }
      this.#unsent = undefined;
    }
  }
}

/** What a server has to write. */
interface ServerSource<P> {
  /** What is not a body's. */
  pollFrames(nowNs: number): P | undefined;
  /** The next piece of a body. */
  pollData(): P | undefined;
  readonly hasData: boolean;
}

/** The server's, which holds bodies back until its transport sends them soon. */
export class ServerWriter<P extends {readonly bytes: Uint8Array}> {
  readonly times = new RoomTimes();
  readonly #network: Pick<Transports, 'bufferedBytes' | 'cwndBytes'>;
  readonly #endpoint: number;
  readonly #writer: MultiplexedWriter<P>;
  /** There is more than its transport sends soon. */
  #isHeldBack = false;

  constructor(
    network: Pick<Transports, 'bufferedBytes' | 'cwndBytes'>,
    endpoint: number,
    write: (piece: P) => number,
  ) {
    this.#network = network;
    this.#endpoint = endpoint;
    this.#writer = new MultiplexedWriter(write);
  }

  handleGone(): void {
    this.#writer.handleGone();
  }

  /** Gives whether the transport did not take all that is not held back. */
  write(source: ServerSource<P>, nowNs: number): boolean {
    return this.#writer.writeAll(() => source.pollFrames(nowNs)) || this.#writeBodies(source, nowNs);
  }

  /** When to look again whether there is room; undefined if nothing is held back. */
  get nextLookNs(): number | undefined {
    return this.#isHeldBack ? this.times.next() : undefined;
  }

  #writeBodies(source: ServerSource<P>, nowNs: number): boolean {
    if (this.#isHeldBack && !this.times.pollLook(nowNs)) return false;
    this.#isHeldBack = false;
    if (this.#writer.isGone || !source.hasData) return false;
    let room = roomBytes(this.#network, this.#endpoint);
    const isRefused = this.#writer.writeAll(() => {
      const piece = room > 0 ? source.pollData() : undefined;
      room -= piece?.bytes.length ?? 0;
      return piece;
    });
    this.#isHeldBack = room <= 0 && source.hasData;
    return isRefused;
  }
}
