import type {Failure} from '../page/failure.ts';
import type {Respond} from './response.ts';
import type {Connection, TransportEvent} from './transports.ts';

/**
 * HTTP between both ends of a pane's connections, sans-IO: a pipeline's own part of a load. Objects have their numbers
 * in the page.
 *
 * After {@link Exchange.request}, each {@link Exchange.handle}, and when {@link Exchange.pollTimeoutNs} has come, call
 * {@link Exchange.write}.
 */
export interface Exchange {
  /** One at least. */
  readonly connections: readonly Connection[];
  /** Begins the handshakes. */
  start(): void;
  /** The client wants that object; once each, in the order of the calls. */
  request(object: number, url: string): void;
  /** What one of its endpoints is told. */
  handle(event: TransportEvent, nowNs: number): void;
  /** Has both ends write what the transports take; gives whether one of them did not take all. */
  write(nowNs: number): boolean;
  /** When there is something to do that no event tells; undefined if never. */
  pollTimeoutNs(nowNs: number): number | undefined;
  /** What it did itself that transports do elsewhere: numbered its data, sent it again, put it in order. */
  readonly own?: OwnTransport;
}

/** What an exchange over bare datagrams knows of them. */
export interface OwnTransport {
  /** What that datagram of an endpoint carried, counted from 0; undefined where its transport knows itself. */
  frameOf(endpoint: number, datagram: number): NumberedFrame | undefined;
  /** What had come and waited for what was in front of it, in the order in which it came. */
  waits(): readonly FrameWait[];
}

/** The same frame has the same number, however often it is sent. */
export interface NumberedFrame {
  readonly number: number;
  /** Frames that wait for one another. */
  readonly stream: number;
  readonly isRepeat: boolean;
}

export interface FrameWait {
  /** That it came to. */
  readonly endpoint: number;
  readonly stream: number;
  readonly number: number;
  readonly bytes: number;
  readonly startNs: number;
  /** NaN if it still waits. */
  readonly endNs: number;
}

/** What every exchange is opened with. */
export interface ExchangeOptions {
  readonly respond: Respond;
  /** Before each answer of a server. */
  readonly thinkNs: number;
  /** Each GET, bytes, unless it needs more. */
  readonly requestBytes: number;
  /** That a server elsewhere asks for, in each GET. */
  readonly token?: string | undefined;
  readonly listener: ExchangeListener;
}

/** Told what happens, as it does. */
export interface ExchangeListener {
  /** Requests can be written on one more of the connections, which has that many streams. */
  handleConnected(connection: number, streams: number): void;
  /** Nothing can be asked for, now or later, though not every connection is gone. */
  handleLost(reason: string): void;
  handleResponse(object: number, event: ResponseEvent): void;
  /** The object is asked for on this stream of its exchange's own, where that is none of the transport's. */
  handleStream(object: number, stream: number): void;
}

/** What came of a response, in order but for what is `shown`. */
export type ResponseEvent =
  /** `failure` if it is the head of no object. */
  | {
      readonly type: 'head';
      /** Of HTTP/1.1's: how many bytes of the stream it is. */
      readonly headBytes?: number;
      readonly status: number;
      readonly bodyBytes: number;
      readonly failure: Failure | null;
    }
  | {readonly type: 'body'; readonly bytes: Uint8Array}
  /**
   * Where a body is shown otherwise than in order, `body` is in two: the next bytes that are read, to find what they
   * name, and how many bytes are on show from `first` on.
   */
  | {readonly type: 'read'; readonly bytes: Uint8Array}
  | {readonly type: 'shown'; readonly first: number; readonly bytes: number}
  | {readonly type: 'end'}
  /** The response is bad; its bytes are skipped, and its `end` may still come. */
  | {readonly type: 'bad'; readonly failure: Failure}
  /** Its connection is gone, and the object is not asked for again. */
  | {readonly type: 'gone'; readonly reason: string};
