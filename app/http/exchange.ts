import type {Failure} from '../page/failure.ts';
import type {StatedPriority} from './priority.ts';
import type {Respond} from './response.ts';
import type {ThinkOptions} from './thinkTimes.ts';
import type {Connection, TransportEvent} from './transports.ts';

/**
 * HTTP in one pane: the client and the servers of its connections, sans-IO. Each version of HTTP has its own
 * implementation. If a page has several origins, `OriginsExchange` joins the exchanges with the page's servers. Objects
 * are identified by their numbers in the page.
 *
 * After {@link Exchange.request} and each {@link Exchange.handle}, and when {@link Exchange.pollTimeoutNs} is reached,
 * call {@link Exchange.write}.
 */
export interface Exchange {
  /** The connections of the exchange, at least one. */
  readonly connections: readonly Connection[];
  /** Begins the handshakes of the connections that are opened first. Others may follow when they are needed. */
  start(): void;
  /**
   * Makes the client request an object. An object must not be requested again. Without a priority, the client chooses
   * one by itself.
   */
  request(object: number, url: string, priority?: StatedPriority): void;
  /** Changes the priority of a request that is not answered completely. */
  reprioritize?(object: number, priority: StatedPriority): void;
  /**
   * Opens a connection to an origin before anything is requested there. Unknown origins are ignored. `isAnonymous` says
   * whether the connection is for requests without credentials.
   */
  preconnect?(origin: string, isAnonymous: boolean): void;
  /** Handles an event of one of the endpoints. */
  handle(event: TransportEvent, nowNs: number): void;
  /** Makes both ends write as much as the transports accept. Returns true if a transport did not accept everything. */
  write(nowNs: number): boolean;
  /**
   * Returns the time at which {@link Exchange.write} must be called even if there is no event, or undefined if there is
   * no such time.
   */
  pollTimeoutNs(nowNs: number): number | undefined;
  /**
   * Whether no connection can carry requests any more. `isClosed` says of a client whether it is closed. The method is
   * absent if all connections must be closed for this. The function {@link hasEnded} covers both cases, so call that
   * function instead.
   */
  hasEnded?(isClosed: (client: number) => boolean): boolean;
  /**
   * Access to the frames of the exchange. It is present if the exchange numbers, resends and orders its data itself,
   * because its transport does not.
   */
  readonly own?: OwnTransport;
}

/** Whether no connection of the exchange can carry requests any more. */
export function hasEnded(exchange: Exchange, isClosed: (client: number) => boolean): boolean {
  return exchange.hasEnded?.(isClosed) ?? exchange.connections.every(({client}) => isClosed(client));
}

/** Access to the frames of an exchange over bare datagrams. */
export interface OwnTransport {
  /**
   * Returns the frame in a datagram that the endpoint sent. The datagrams of each endpoint are numbered from 0. The
   * result is undefined for an endpoint of TCP, which numbers its data itself.
   */
  frameOf(endpoint: number, datagram: number): NumberedFrame | undefined;
  /**
   * Returns the frames that had to wait for earlier frames after they had arrived: first the frames whose wait has
   * ended, in the order in which the waits ended, then the frames that are still waiting.
   */
  waits(): readonly FrameWait[];
}

/** A frame and its number. A frame that is resent keeps its number. */
export interface NumberedFrame {
  readonly number: number;
  /** The stream of the frame. A frame may have to wait for other frames of the same stream. */
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
  /** The time at which the wait ended. It is NaN while the frame is still waiting. */
  readonly endNs: number;
}

/** The options of every exchange. */
export interface ExchangeOptions extends ThinkOptions {
  readonly respond: Respond;
  /** Size in bytes to which each GET is padded. A GET that is longer without padding is sent unpadded. */
  readonly requestBytes: number;
  /** A token that a remote server requires in each GET. */
  readonly token?: string | undefined;
  readonly listener: ExchangeListener;
}

/** The functions by which an exchange reports what happens. */
export interface ExchangeListener {
  /** Called when the connection with this index can be used. `streams` is the number of its streams. */
  handleConnected(connection: number, streams: number): void;
  /** Called when no further object can be loaded, even if some connections have not been closed. */
  handleLost(reason: string): void;
  handleResponse(object: number, event: ResponseEvent): void;
  /**
   * Called before the object is requested on this stream. It is called only for streams that the transport does not
   * know, such as those of HTTP/2.
   */
  handleStream(object: number, stream: number): void;
}

/** An event of a response. Events are reported in the order of the response's bytes, except for `shown`. */
export type ResponseEvent =
  /** The response's head. `failure` is not null if the response does not deliver an object. */
  | {
      readonly type: 'head';
      /** For HTTP/1.1: size of the head in bytes. */
      readonly headBytes?: number;
      readonly status: number;
      readonly bodyBytes: number;
      readonly failure: Failure | null;
    }
  | {readonly type: 'body'; readonly bytes: Uint8Array}
  /**
   * If a body is shown out of order, these two kinds of events replace `body`. `read` contains the next bytes in order,
   * which the client searches for references. `shown` means that `bytes` bytes from offset `first` on can be shown.
   */
  | {readonly type: 'read'; readonly bytes: Uint8Array}
  | {readonly type: 'shown'; readonly first: number; readonly bytes: number}
  | {readonly type: 'end'}
  /**
   * The response is invalid and its bytes are skipped, or the request cannot be sent. An `end` event can still follow.
   */
  | {readonly type: 'bad'; readonly failure: Failure}
  /** The connection or stream has ended early, and the object is not requested again. */
  | {readonly type: 'gone'; readonly reason: string};

/** Returns the earliest of the times that are defined, or undefined if none is. */
export function earliest(...times: readonly (number | undefined)[]): number | undefined {
  let first: number | undefined;
  for (const time of times) {
    if (time !== undefined && (first === undefined || time < first)) first = time;
  }
  return first;
}
