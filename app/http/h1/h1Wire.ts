import type {SchedulerName} from '../scheduler.ts';
import type {Connection, TransportEvent} from '../transports.ts';

/** The connections of a pane that uses HTTP/1.1. This interface hides the differences between the transports. */
export interface Wire {
  /** The connections of the pane, at least one. */
  readonly connections: readonly Connection[];
  readonly framing: Framing;
  /**
   * How requests use the streams. `round-robin`: all connections are opened, and requests are distributed round-robin
   * over the streams without waiting for answers. `when-free`: each stream has one request at a time, and another of
   * the connections is opened for each request that would have to wait. `when-renewed`: all connections are opened,
   * each stream has one request at a time, and a stream must be renewed before its next request.
   */
  readonly requests: Requests;
  /**
   * With `round-robin`: the largest number of unanswered requests on one stream. If it is absent, there is no limit.
   */
  readonly pipelineDepth?: number;
  /**
   * The number of streams that may be used until the first object is complete. If it is absent, all streams may be
   * used.
   */
  readonly firstStreams?: number;
  /**
   * With `when-free`: if the first TCP connection is not established after this time, the second one is opened. If it
   * is absent, this does not happen.
   */
  readonly backupNs?: number;
  /**
   * Sends a piece and returns the number of bytes accepted. A byte stream may accept part of the piece. A transport of
   * messages accepts all of it or nothing. The bytes belong to `object`, or to no object if it is null.
   */
  send(endpoint: number, stream: number, bytes: Uint8Array, object: number | null): number;
  /** Returns the bytes that an event delivers to its endpoint, or undefined if it delivers none. */
  receive(event: TransportEvent): {readonly stream: number; readonly bytes: Uint8Array} | undefined;
  /**
   * Renews a stream of the client: SCTP resets the stream in both directions (RFC 6525), and a `renewed` event follows.
   * The function must be present with `when-renewed`.
   */
  renew?(client: number, stream: number): void;
}

/** Decides when a request is sent and on which stream. */
export type Requests = 'round-robin' | 'when-free' | 'when-renewed';

/** How servers write responses. */
export interface Framing {
  /**
   * `sequential`: a server answers one request after the other. `interleaving`: a server answers all requests at the
   * same time, piece by piece, and writes only as much as `room` events allow.
   */
  readonly mode: 'sequential' | 'interleaving';
  /**
   * For an interleaving server: decides which response is written next. If it is absent, responses take turns piece by
   * piece.
   */
  readonly scheduler?: SchedulerName;
  /** Whether a piece ends when its turn ends. If false, a turn only decides which response has the next piece. */
  readonly endsWithTurn?: boolean;
  /** Whether each piece begins with a tag that names its response. */
  readonly isTagged: boolean;
  /** Size of the largest piece with its tag. If it is Infinity, a piece is the whole rest of a response. */
  readonly pieceBytes: number;
  /** Size of the largest piece that the transport can ever accept. */
  readonly largestPieceBytes: number;
}
