import type {SchedulerName} from './scheduler.ts';
import type {Connection, TransportEvent} from './transports.ts';

/** A pane's connections, with what differs between the transports of HTTP/1.1 hidden. */
export interface Wire {
  /** One at least. */
  readonly connections: readonly Connection[];
  readonly framing: Framing;
  /**
   * `round-robin`: all connections are opened, and requests go round-robin over their streams, however many are
   * unanswered. `when-free`: a stream has one request at a time, and a connection is opened when one waits for it.
   * `when-renewed`: all are opened, and a stream has one request, and the next once it is as new.
   */
  readonly requests: Requests;
  /** A stream has so many requests unanswered at most, where they go round-robin; absent: any number. */
  readonly depth?: number;
  /** Of the streams that there are, the first that many are used until the first object is there; absent: all. */
  readonly firstStreams?: number;
  /**
   * Gives the number of bytes taken: a piece as far as there is room for it or, where pieces are messages, all or none.
   * They are of that object, or of none.
   */
  send(endpoint: number, stream: number, bytes: Uint8Array, object: number | null): number;
  /** The bytes that an event brings to its endpoint; undefined if it brings none. */
  receive(event: TransportEvent): {readonly stream: number; readonly bytes: Uint8Array} | undefined;
  /** Has a client's stream renewed, where requests want it. */
  renew?(client: number, stream: number): void;
}

/** On which stream a request goes, and when. */
export type Requests = 'round-robin' | 'when-free' | 'when-renewed';

/** How servers write their responses. */
export interface Framing {
  /**
   * `sequential`: a server answers one request after the other. `interleaving`: all at once, a piece each in turn, and
   * no more than its transport sends soon: it is told of `room`.
   */
  readonly mode: 'sequential' | 'interleaving';
  /** Of one that interleaves: whose turn it is, where that is not simply a piece of each. */
  readonly scheduler?: SchedulerName;
  /** Of one with a scheduler: a piece ends where its turn does. Else turns only say whose piece is the next. */
  readonly endsWithTurn?: boolean;
  /** Each piece says of which response it is. */
  readonly isTagged: boolean;
  /** Largest piece, tag included; Infinity: the rest of a response in one write. */
  readonly pieceBytes: number;
  /** A larger piece is never taken. */
  readonly largestPieceBytes: number;
}
