import type {SchedulerName} from '../scheduler.ts';
import type {Connection, TransportEvent} from '../transports.ts';

/** A pane's connections, without the differences between the transports of HTTP/1.1. */
export interface Wire {
  /** The connections of the pane, at least one. */
  readonly connections: readonly Connection[];
  readonly framing: Framing;
  /**
   * How requests use the streams. `round-robin`: all connections are opened, and requests go round-robin over their
   * streams, however many are unanswered. `when-free`: each stream has one request at a time, and a connection is
   * opened for a request that waits. `when-renewed`: all connections are opened, and each stream has one request at a
   * time, and must be renewed before the next.
   */
  readonly requests: Requests;
  /** With `round-robin`: the most unanswered requests of a stream. Absent if there is no limit. */
  readonly pipelineDepth?: number;
  /**
   * The number of streams that are used until the first object is complete, counted from the first. Absent if all are
   * used.
   */
  readonly firstStreams?: number;
  /**
   * Returns the number of bytes accepted: as much of a piece as there is room for or, if pieces are messages, all or
   * none. The bytes belong to `object`, or to none.
   */
  send(endpoint: number, stream: number, bytes: Uint8Array, object: number | null): number;
  /** The bytes that an event delivers to its endpoint. Undefined if it delivers none. */
  receive(event: TransportEvent): {readonly stream: number; readonly bytes: Uint8Array} | undefined;
  /** Renews a client's stream, if the requests need that. */
  renew?(client: number, stream: number): void;
}

/** Which stream a request uses, and when. */
export type Requests = 'round-robin' | 'when-free' | 'when-renewed';

/** How servers write responses. */
export interface Framing {
  /**
   * `sequential`: a server answers one request after the other. `interleaving`: it answers all at once, piece by piece,
   * and writes only as much as its transport will send soon, as `room` events tell.
   */
  readonly mode: 'sequential' | 'interleaving';
  /** For an interleaving server: decides whose turn it is. Without it, responses take turns piece by piece. */
  readonly scheduler?: SchedulerName;
  /** Whether a piece ends with its turn. Otherwise, turns only decide whose piece is next. */
  readonly endsWithTurn?: boolean;
  /** Whether each piece begins with a tag that names its response. */
  readonly isTagged: boolean;
  /** Size of the largest piece with its tag. Infinity means that the rest of a response is one write. */
  readonly pieceBytes: number;
  /** Size of the largest piece that the transport can accept. */
  readonly largestPieceBytes: number;
}
