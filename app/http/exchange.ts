import type {Failure} from '../page/failure.ts';
import type {Respond} from './response.ts';
import type {Connection, TransportEvent} from './transports.ts';

/**
 * HTTP between both ends of a pane's connections, sans-IO. It is the part of a load that each pipeline provides.
 * Objects are identified by their numbers in the page.
 *
 * After {@link Exchange.request} and each {@link Exchange.handle}, and when {@link Exchange.pollTimeoutNs} is reached,
 * call {@link Exchange.write}.
 */
export interface Exchange {
  /** The connections of the exchange, at least one. */
  readonly connections: readonly Connection[];
  /** Begins the handshakes of the connections. */
  start(): void;
  /** Makes the client request an object. Each object may be requested only once. */
  request(object: number, url: string): void;
  /** Handles an event of one of the endpoints. */
  handle(event: TransportEvent, nowNs: number): void;
  /** Lets both ends write what the transports accept. Returns true if a transport did not accept everything. */
  write(nowNs: number): boolean;
  /**
   * The time at which {@link Exchange.write} must be called even if there is no event. Undefined if there is no such
   * time.
   */
  pollTimeoutNs(nowNs: number): number | undefined;
  /** Present if the exchange numbers, resends and orders its data itself, which is usually done by a transport. */
  readonly own?: OwnTransport;
}

/** What an exchange over bare datagrams knows about its datagrams. */
export interface OwnTransport {
  /**
   * The frame in a datagram that the endpoint sent. Its datagrams are numbered from 0. Undefined if the endpoint's
   * transport itself knows what it sent.
   */
  frameOf(endpoint: number, datagram: number): NumberedFrame | undefined;
  /** Frames that had arrived and waited for earlier frames, in order of arrival. */
  waits(): readonly FrameWait[];
}

/** A frame with its number, which is the same each time that the frame is sent. */
export interface NumberedFrame {
  readonly number: number;
  /** Frames of one stream wait for one another. */
  readonly stream: number;
  readonly isRepeat: boolean;
}

export interface FrameWait {
  /** The endpoint that received the frame. */
  readonly endpoint: number;
  readonly stream: number;
  readonly number: number;
  readonly bytes: number;
  readonly startNs: number;
  /** NaN if the frame is still waiting. */
  readonly endNs: number;
}

/** The options of every exchange. */
export interface ExchangeOptions {
  readonly respond: Respond;
  /** Time that the server thinks before each answer. */
  readonly thinkNs: number;
  /** Size in bytes to which each GET is padded. A GET that is longer by itself is sent as it is. */
  readonly requestBytes: number;
  /** A token that a remote server requires in each GET. */
  readonly token?: string | undefined;
  readonly listener: ExchangeListener;
}

/** The functions that an exchange calls when something happens. */
export interface ExchangeListener {
  /** Called when requests can be written on one more connection. `streams` is the number of its streams. */
  handleConnected(connection: number, streams: number): void;
  /** Called when no object can be requested any more, although some connections are not closed. */
  handleLost(reason: string): void;
  handleResponse(object: number, event: ResponseEvent): void;
  /**
   * Called when the object is about to be requested on this stream. The transport does not know the stream: it is one
   * of the exchange's own, as in HTTP/2.
   */
  handleStream(object: number, stream: number): void;
}

/** An event of a response. Events are in order, except for `shown`. */
export type ResponseEvent =
  /** The response's head. `failure` is not null if the response does not deliver an object. */
  | {
      readonly type: 'head';
      /** For HTTP/1.1: size of the head in bytes of the stream. */
      readonly headBytes?: number;
      readonly status: number;
      readonly bodyBytes: number;
      readonly failure: Failure | null;
    }
  | {readonly type: 'body'; readonly bytes: Uint8Array}
  /**
   * If a body is shown out of order, there are two kinds of events instead of `body`. `read` has the next bytes, in
   * order, to search for references. `shown` says that `bytes` bytes from offset `first` on can be shown.
   */
  | {readonly type: 'read'; readonly bytes: Uint8Array}
  | {readonly type: 'shown'; readonly first: number; readonly bytes: number}
  | {readonly type: 'end'}
  /** The response is bad. Its bytes are skipped, and its `end` may still come. */
  | {readonly type: 'bad'; readonly failure: Failure}
  /** The connection or stream has ended early, and the object is not requested again. */
  | {readonly type: 'gone'; readonly reason: string};

/** The earliest of the known times. Undefined if none is known. */
export function earliest(...times: readonly (number | undefined)[]): number | undefined {
  let first: number | undefined;
  for (const time of times) {
    if (time !== undefined && (first === undefined || time < first)) first = time;
  }
  return first;
}
