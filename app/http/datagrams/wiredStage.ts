import type {Respond} from '../response.ts';
import {type ThinkOptions, ThinkTimes} from '../thinkTimes.ts';
import type {Connection, TransportEvent, Transports} from '../transports.ts';
import {encodeFrame, readFrame} from './datagramFrame.ts';
import {encodeDatagramRequest, readDatagramRequest} from './datagramRequest.ts';
import type {FramedResponse, FrameResponse} from './framedResponse.ts';
import {MessagePipe} from './messagePipe.ts';

export interface WiredStageOptions extends ThinkOptions {
  readonly respond: Respond;
  readonly requestBytes: number;
  readonly frame: FrameResponse;
  readonly payloadBytes: number;
  /** The number of the path between adapter and server. */
  readonly path: number;
}

/**
 * The TCP connection between C03's adapter (§5) and the server, with both ends. The adapter is a host that fetches the
 * page over this connection and forwards it to the client in datagrams. The server cuts each response into frames, with
 * the abstract first, and writes one response after the other. The adapter can forward a frame once all of its bytes
 * have arrived.
 */
export class WiredStage {
  readonly #options: WiredStageOptions;
  readonly #pipe: MessagePipe;
  readonly #thinkTimes: ThinkTimes;
  readonly #thinking: {
    readonly request: number;
    readonly framed: FramedResponse;
    readonly readyNs: number;
  }[] = [];
  #isStarted = false;

  constructor(network: Transports, options: WiredStageOptions) {
    this.#options = options;
    this.#thinkTimes = new ThinkTimes(options);
    this.#pipe = new MessagePipe(network, options.path);
  }

  get connection(): Connection {
    return this.#pipe.connection;
  }

  has(endpoint: number): boolean {
    return this.#pipe.has(endpoint);
  }

  /** Sends a request from the adapter to the server. The first request opens the connection. */
  ask(request: number, url: string): void {
    if (!this.#isStarted) this.#pipe.start();
    this.#isStarted = true;
    const asked = {url, request, datagram: 0, ranges: null, rttUs: null};
    // The request belongs to no object, because the browser's GET is already counted for the object.
    this.#pipe.send('client', encodeDatagramRequest(asked, this.#options.requestBytes), null);
  }

  /** Handles an event of the connection. Returns the frames that the event completes at the adapter. */
  handle(event: TransportEvent, nowNs: number): readonly {readonly request: number; readonly index: number}[] {
    const messages = this.#pipe.read(event);
    if (event.endpoint === this.connection.client) {
      return messages.map(readFrame).filter(frame => frame !== undefined);
    }
    for (const message of messages) this.#think(message, nowNs);
    return [];
  }

  /** Writes requests and the responses that are due. Returns true if TCP did not accept all of them. */
  write(nowNs: number): boolean {
    for (let next = this.#thinking[0]; next !== undefined; next = this.#thinking[0]) {
      if (next.readyNs > nowNs) break;
      this.#thinking.shift();
      const {request, framed} = next;
      const {frames, abstractFrames, object} = framed;
      for (const [index, frame] of frames.entries()) {
        const header = {request, index, frames: frames.length, abstractFrames, answers: null};
        this.#pipe.send('server', encodeFrame({...header, ...frame}), object);
      }
    }
    return this.#pipe.write();
  }

  /** Returns the time at which the first think time ends, or undefined if none is running. */
  pollTimeoutNs(): number | undefined {
    return this.#thinking[0]?.readyNs;
  }

  #think(message: Uint8Array, nowNs: number): void {
    const {respond, frame, payloadBytes} = this.#options;
    const asked = readDatagramRequest(message);
    if (asked === undefined) return;
    const framed = frame(respond(asked.url), payloadBytes);
    this.#thinking.push({request: asked.request, framed, readyNs: this.#thinkTimes.readyNs(nowNs)});
  }
}
