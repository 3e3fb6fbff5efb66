import {H3Server, USUAL_QPACK_TABLE_BYTES} from '../../../app/http/h3/h3Server.ts';
import {ServerWriter} from '../../../app/http/multiplexedWriter.ts';
import type {StreamPiece} from '../../../app/http/transports.ts';
import type {AppEvent, QuicConnection} from '../../../native/addon/index.js';
import type {Clock} from '../../net/clock.ts';
import type {HeadBudget, HeadSender} from './headBudget.ts';
import type {HttpEndOptions, Served} from './httpEnd.ts';
import {Patience} from './patience.ts';

type H3EndOptions = Pick<HttpEndOptions, 'address' | 'giveUp'>;

/**
 * The server's end of HTTP/3 over one connection. It also measures how long the client takes to send requests and to
 * read answers. Responses share the connection by the priorities of their requests (RFC 9218). A live server cannot use
 * the scheduler of a client's pane, because requests do not name it.
 */
export class H3End {
  readonly patience: Patience;
  readonly #clock: Clock;
  readonly #connection: QuicConnection;
  readonly #server: H3Server;
  readonly #writer: ServerWriter<StreamPiece>;
  /** Streams that the peer has reset. */
  readonly #resetStreams = new Set<number>();
  readonly #heads: HeadBudget;
  readonly #sender: HeadSender;

  constructor(served: Served, connection: QuicConnection, {address, giveUp}: H3EndOptions) {
    this.#heads = served.heads;
    this.#sender = {giveUp};
    const {respond, clock, limits} = served;
    const refuse = (head: Parameters<Served['refuse']>[0]) => served.refuse(head, address);
    this.patience = new Patience(limits, clock);
    this.#clock = clock;
    this.#connection = connection;
    this.#server = new H3Server({
      respond,
      refuse,
      thinkNs: 0,
      scheduler: 'round-robin',
      qpackTableBytes: USUAL_QPACK_TABLE_BYTES,
    });
    this.#writer = new ServerWriter(pieces => this.#take(pieces));
  }

  /** Handles an event. Returns how many bytes were read because of it. */
  handle(event: AppEvent): number {
    let bytes = 0;
    if (event.type === 'readable') {
      const read = this.#connection.read(event.stream);
      bytes = read.length;
      this.#server.handleBytes(event.stream, read, this.#clock());
    } else if (event.type === 'finished') this.#server.handleFinished(event.stream, this.#clock());
    else if (event.type === 'reset') {
      this.#resetStreams.add(event.stream);
      this.#server.handleReset(event.stream);
    } else if (event.type === 'room') this.#writer.handleRoom(event.bytes);
    this.patience.settle(this.#server);
    this.#heads.settle(this.#sender, this.#server.headBytes);
    return bytes;
  }

  /** Writes all waiting frames, and as much of the bodies as the connection will send soon. */
  write(): void {
    this.#writer.write(this.#server, this.#clock());
    this.patience.settle(this.#server);
  }

  /** Writes a GOAWAY frame, which tells the client that no further requests are answered. */
  goAway(): void {
    this.#server.goAway();
    this.write();
  }

  /** Removes this connection from the head budget. Call this when the connection has ended. */
  forget(): void {
    this.#heads.settle(this.#sender, 0);
  }

  /** Whether the peer has broken the protocol. */
  get isBroken(): boolean {
    return this.#server.isBroken;
  }

  /** Writes pieces, and drops pieces of streams that were reset. Returns how many bytes were written or dropped. */
  #take(pieces: readonly StreamPiece[]): number {
    if (this.#resetStreams.size === 0) return writePieces(this.#connection, pieces);
    let taken = 0;
    for (const piece of pieces) {
      const {stream, bytes} = piece;
      const accepted = this.#resetStreams.has(stream) ? bytes.length : writePieces(this.#connection, [piece]);
      taken += accepted;
      if (accepted < bytes.length) break;
    }
    return taken;
  }
}

/**
 * Writes pieces to the streams of a connection, in order, until the connection accepts no more. Returns how many bytes
 * were accepted.
 */
export function writePieces(connection: QuicConnection, pieces: readonly StreamPiece[]): number {
  const parts = new Uint32Array(pieces.flatMap(({stream, bytes, isEnd}) => [stream, bytes.length, +isEnd]));
  return connection.writeParts(parts, Buffer.concat(pieces.map(({bytes}) => bytes)));
}
