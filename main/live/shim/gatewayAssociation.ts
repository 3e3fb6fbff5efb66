import type {AppEvent} from '../../../native/addon/index.js';
import type {Clock} from '../../net/clock.ts';
import {systemReason} from '../base/socketFailure.ts';
import {SctpClient} from '../client/sctpClient.ts';
import {AssociationLanes} from './associationLanes.ts';
import type {Lane} from './lane.ts';
import {ShimError} from './shimError.ts';
import type {ShimLimits} from './shimLimits.ts';
import {CONTROL_STREAM, FRAMED, type Framing, hello, PLAIN, peerOf} from './shimProtocol.ts';

/**
 * The peer that this end sends requests to: a gateway, or a live server. This end is either the near end of a shim (the
 * proxy that the user's programs use), or the program itself (when it fetches a page over SCTP).
 */
export interface Gateway {
  /** `HOST:PORT`, as the user wrote it. */
  readonly authority: string;
  /** The peer's IP address and UDP port. */
  readonly host: string;
  readonly port: number;
  readonly token: string | undefined;
}

export interface GatewayAssociationOptions {
  readonly gateway: Gateway;
  readonly limits: ShimLimits;
  readonly clock: Clock;
  /**
   * Called when the peer has accepted the hello, which is this end's first message, or has answered it as a live
   * server. Also called when a lane has ended, unless the association ends too. A lane is one HTTP/1.1 connection on a
   * stream. After each call another lane can be opened, unless `isOver` is true.
   */
  readonly onFree: () => void;
  /** Called once, after the association and all of its lanes have ended. */
  readonly onEnd: (error: ShimError) => void;
}

/** This end's association. The peer is a gateway, or a live server that expects plain HTTP/1.1 on the streams. */
export class GatewayAssociation {
  readonly #options: GatewayAssociationOptions;
  readonly #client: SctpClient;
  readonly #connecting: NodeJS.Timeout;
  readonly #watching: NodeJS.Timeout;
  #streams = 0;
  #lanes: AssociationLanes | undefined;
  #isPlain = false;
  /**
   * Whether a lane with plain HTTP was closed early, so that its stream cannot be used again. The association then
   * accepts no further requests.
   */
  #isRetired = false;
  #hasEnded = false;
  #isWaking = false;
  #heardNs: number;
  #usedNs: number;

  constructor(options: GatewayAssociationOptions) {
    const {gateway, limits, clock} = options;
    this.#options = options;
    this.#heardNs = clock();
    this.#usedNs = clock();
    const sctp = {profile: 'modern', streams: STREAMS, sendBufferBytes: SEND_BYTES} as const;
    this.#client = new SctpClient({
      sctp,
      host: gateway.host,
      port: gateway.port,
      clock,
      record: {},
      onEvents: events => this.#take(events),
      onError: error => this.#end(new ShimError(502, `${gateway.authority}: ${systemReason(error)}`)),
    });
    this.#client.connect();
    const late = `${gateway.authority} does not answer within ${limits.connectMs / 1000} s`;
    this.#connecting = setTimeout(() => this.#end(new ShimError(504, late)), limits.connectMs);
    this.#watching = setInterval(() => this.#watch(), limits.silenceMs / LOOKS);
  }

  /** Whether the association accepts no further requests. */
  get isOver(): boolean {
    return this.#hasEnded || this.#isRetired;
  }

  /** Whether the peer is a live server, which serves only its own page, instead of a gateway. */
  get isPlain(): boolean {
    return this.#isPlain;
  }

  /**
   * Opens a lane on a free stream. Undefined if no stream is free, if the peer has not answered the hello yet, or if
   * {@link isOver} is true.
   */
  begin(): Lane | undefined {
    if (this.#lanes === undefined || this.isOver) return undefined;
    for (let stream = CONTROL_STREAM + 1; stream < this.#streams; stream++) {
      if (!this.#lanes.has(stream)) return this.#lanes.begin(stream);
    }
    return undefined;
  }

  /** Ends the association and its lanes. The reason is reported to requests that wait for this association. */
  close(reason = 'the shim is ending'): void {
    this.#end(new ShimError(502, reason));
  }

  #take(events: readonly AppEvent[]): void {
    this.#heardNs = this.#options.clock();
    for (const event of events) {
      if (this.#hasEnded) return;
      if (event.type === 'connected') this.#greet(event.streams);
      else if (event.type === 'closed' || event.type === 'peer-closed') this.#lose(event);
      else if (event.type === 'message') this.#handleMessage(event.stream, event.bytes);
    }
    this.#wake();
  }

  #greet(streams: number): void {
    const {authority, token} = this.#options.gateway;
    this.#streams = streams;
    if (streams < 2) this.#end(new ShimError(502, `${authority} allows ${streams} stream, but two are needed`));
    else this.#client.association.send(CONTROL_STREAM, hello(authority, token));
  }

  #lose(event: Extract<AppEvent, {type: 'closed' | 'peer-closed'}>): void {
    const reason = event.type === 'closed' ? event.reason : event.type;
    this.#end(new ShimError(502, `the association with ${this.#options.gateway.authority} has ended: ${reason}`));
  }

  #handleMessage(stream: number, bytes: Uint8Array): void {
    // A live server may answer the hello in several messages. All but the first are ignored.
    if (this.#isPlain && stream === CONTROL_STREAM) return;
    try {
      if (this.#lanes === undefined) this.#handleAnswer(bytes);
      else this.#lanes.handleMessage(stream, bytes);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#end(new ShimError(502, `${this.#options.gateway.authority} sends ${error.message}`));
    }
  }

  #handleAnswer(bytes: Uint8Array): void {
    const {authority, token} = this.#options.gateway;
    const peer = peerOf(bytes);
    clearTimeout(this.#connecting);
    if (peer === 'unknown') this.#end(new ShimError(502, `${authority} is not a gateway shim`));
    else if (peer === 'refuses') {
      const why = token === undefined ? 'requires a token (--token)' : 'refuses this token';
      this.#end(new ShimError(502, `${authority} ${why}`));
    } else {
      this.#isPlain = peer === 'server';
      this.#lanes = this.#newLanes(this.#isPlain ? PLAIN : FRAMED);
      this.#options.onFree();
    }
  }

  #newLanes(framing: Framing): AssociationLanes {
    const {association} = this.#client;
    const {authority} = this.#options.gateway;
    return new AssociationLanes({
      framing,
      mostBytes: association.maxMessageInPacketBytes(),
      limits: this.#options.limits,
      send: (stream, message) => association.send(stream, message),
      isUnderWay: () => association.bufferedBytes() > 0,
      wake: () => this.#wake(),
      onGone: () => {
        this.#usedNs = this.#options.clock();
        if (this.#hasEnded) return;
        if (this.#isRetired && this.#lanes?.open === 0) this.close(`${authority} accepts no further requests`);
        else this.#options.onFree();
      },
      onSpoilt: () => {
        this.#isRetired = true;
      },
    });
  }

  /**
   * Schedules a microtask that writes what the lanes have to send. Nothing is written immediately, because the
   * association may be reporting its events.
   */
  #wake(): void {
    if (this.#isWaking) return;
    this.#isWaking = true;
    queueMicrotask(() => {
      this.#isWaking = false;
      if (this.#hasEnded) return;
      this.#lanes?.write();
      this.#client.go();
    });
  }

  /**
   * Ends the association if it has been idle for too long, or if a gateway has been silent for too long. Otherwise
   * sends a ping if the peer is a gateway.
   */
  #watch(): void {
    const {clock, limits, gateway} = this.#options;
    if (this.#lanes === undefined) return;
    const isIdle = this.#lanes.open === 0 && clock() - this.#usedNs > limits.idleMs * 1e6;
    const isSilent = !this.#isPlain && clock() - this.#heardNs > limits.silenceMs * 1e6;
    const silence = `${gateway.authority} has been silent for ${limits.silenceMs / 1000} s`;
    if (isIdle) this.close(`the association with ${gateway.authority} was idle`);
    else if (isSilent) this.#end(new ShimError(504, silence));
    else if (!this.#isPlain) this.#lanes.ping();
  }

  #end(error: ShimError): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#connecting);
    clearInterval(this.#watching);
    this.#client.close();
    this.#lanes?.destroy(error);
    this.#options.onEnd(error);
  }
}

/** How many streams this end requests. A live server allows no more. */
const STREAMS = 64;
const SEND_BYTES = 1024 * 1024;
/** How often an association is checked within `silenceMs`, which is the longest time that its peer may be silent. */
const LOOKS = 3;
