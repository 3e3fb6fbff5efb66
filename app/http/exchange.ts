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
  /** At least one. */
  readonly connections: readonly Connection[];
  /** Begins the handshakes. */
  start(): void;
  /** The client requests this object. Each object is requested at most once. */
  request(object: number, url: string): void;
  /** Takes an event of one of the endpoints. */
  handle(event: TransportEvent, nowNs: number): void;
  /** Lets both ends write what the transports accept. Returns true if a transport did not accept everything. */
  write(nowNs: number): boolean;
  /** When the exchange must act without an event. Undefined if never. */
  pollTimeoutNs(nowNs: number): number | undefined;
  /** Present if the exchange does itself what a transport usually does: number, resend and order its data. */
  readonly own?: OwnTransport;
}

/** What an exchange over bare datagrams knows about its datagrams. */
export interface OwnTransport {
  /**
   * The frame in the endpoint's datagram of this number, counted from 0. Undefined if the endpoint's transport knows it
   * itself.
   */
  frameOf(endpoint: number, datagram: number): NumberedFrame | undefined;
  /** Frames that had arrived and waited for earlier frames, in order of arrival. */
  waits(): readonly FrameWait[];
}

/** A frame's number stays the same however often the frame is sent. */
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
  /** Size of each GET in bytes. A GET that needs more takes more. */
  readonly requestBytes: number;
  /** A token that a remote server requires in each GET. */
  readonly token?: string | undefined;
  readonly listener: ExchangeListener;
}

/** Called for events as they happen. */
export interface ExchangeListener {
  /** Requests can be written on one more connection, which has this many streams. */
  handleConnected(connection: number, streams: number): void;
  /** No object can be requested any more, although not every connection is gone. */
  handleLost(reason: string): void;
  handleResponse(object: number, event: ResponseEvent): void;
  /** The object is requested on this stream, which belongs to the exchange rather than to the transport. */
  handleStream(object: number, stream: number): void;
}

/** An event of a response. Events are in order, except for `shown`. */
export type ResponseEvent =
  /** The response's head. `failure` is set if the response is not that of an object. */
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
   * If a body is shown out of order, its events come in two kinds: `read` has the next bytes to search for references,
   * and `shown` tells that this many bytes from `first` on can be shown.
   */
  | {readonly type: 'read'; readonly bytes: Uint8Array}
  | {readonly type: 'shown'; readonly first: number; readonly bytes: number}
  | {readonly type: 'end'}
  /** The response is bad. Its bytes are skipped, and its `end` may still come. */
  | {readonly type: 'bad'; readonly failure: Failure}
  /** The connection is gone, and the object is not requested again. */
  | {readonly type: 'gone'; readonly reason: string};

/** The earliest of the known times. Undefined if none is known. */
export function earliest(...times: readonly (number | undefined)[]): number | undefined {
  let first: number | undefined;
  for (const time of times) {
    if (time !== undefined && (first === undefined || time < first)) first = time;
  }
  return first;
}
