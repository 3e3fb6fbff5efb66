import type {AppEvent, Association} from '../../../native/addon/index.js';
import type {Clock} from '../../net/clock.ts';
import {carriesData} from '../base/sctpInUdp.ts';
import {PeerEnd} from '../server/peerEnd.ts';
import type {SctpPeerOptions} from '../server/sctpPeer.ts';
import type {ServedPeer} from '../server/sctpServer.ts';
import type {Lane} from './lane.ts';
import {Lanes} from './lanes.ts';
import type {ShimLimits} from './shimLimits.ts';
import {CONTROL_STREAM, FRAMED, type Framing, helloOf, PLAIN, REFUSAL, WELCOME} from './shimProtocol.ts';

/** What all associations of a far end share. */
export interface FarServed {
  readonly clock: Clock;
  readonly limits: ShimLimits;
  /** Checks an Authorization field. Undefined if no token is required. */
  readonly isRight: ((authorization: string | undefined, address: string) => boolean) | undefined;
  /**
   * Called for each new lane. If a token is required, the lane is trusted only if the peer at `address`, which opened
   * it, has sent the token.
   */
  readonly onLane: (lane: Lane, address: string, isTrusted: boolean) => void;
}

/** The far end of one association. The peer is a near end, or a client that sends plain HTTP/1.1 on its streams. */
export class FarPeer implements ServedPeer {
  readonly tag: number;
  readonly #association: Association;
  readonly #served: FarServed;
  readonly #transport: PeerEnd;
  readonly #address: string;
  #lanes: Lanes | undefined;
  #isWaking = false;
  /** Whether the message that is being handled is the hello. */
  #isGreeting = false;
  #isPlain = false;
  /** When the peer's last message came. With plain HTTP, also when the last message was sent to the peer. */
  #heardNs: number;

  constructor(association: Association, served: FarServed, options: SctpPeerOptions) {
    this.#association = association;
    this.#served = served;
    this.#heardNs = served.clock();
    this.tag = options.tag;
    this.#address = options.address;
    this.#transport = new PeerEnd(association, {
      clock: served.clock,
      send: options.send,
      onEvent: event => this.#handle(event),
      write: () => this.#lanes?.write(),
      onEnd: () => {
        this.#lanes?.destroy(new Error('the association is gone'));
        options.onEnd();
      },
    });
  }

  get isIdle(): boolean {
    return (this.#lanes?.open ?? 0) === 0;
  }

  handlePacket(packet: Buffer): void {
    const {heldBytes} = this.#served.limits;
    // The packet is dropped as if it had been lost, because an association has no other way to leave unread data with
    // its peer.
    if ((this.#lanes?.unreadBytes ?? 0) > heldBytes && carriesData(packet)) return;
    this.#transport.handlePacket(packet);
  }

  go(): void {
    this.#transport.go();
  }

  /**
   * Gives up a silent association. A near end sends pings before that happens. A client with plain HTTP is only silent
   * while it waits for its answer.
   */
  sweep(): void {
    const {clock, limits} = this.#served;
    const mostMs = this.#isPlain ? limits.answerMs : limits.silenceMs;
    if (clock() - this.#heardNs > mostMs * 1e6) this.abort();
  }

  abort(): void {
    this.#transport.abort();
  }

  end(): void {
    this.#transport.end();
  }

  #handle(event: AppEvent): void {
    if (event.type === 'peer-closed') this.#transport.finish();
    if (event.type !== 'message') return;
    this.#heardNs = this.#served.clock();
    this.#lanes ??= this.#begin(event.stream, event.bytes);
    if (this.#lanes === undefined) return;
    // the hello itself does not belong to a lane
    if (this.#isGreeting) this.#isGreeting = false;
    else this.#lanes.handleMessage(event.stream, event.bytes);
  }

  /** Decides by the first message what the peer is. Undefined if the peer is refused. */
  #begin(stream: number, bytes: Uint8Array): Lanes | undefined {
    const {isRight} = this.#served;
    const greeting = stream === CONTROL_STREAM ? helloOf(bytes) : undefined;
    this.#isPlain = greeting === undefined;
    if (greeting === undefined) return this.#newLanes(PLAIN, isRight === undefined);
    const isWelcome = isRight === undefined || isRight(greeting.authorization, this.#address);
    this.#association.send(CONTROL_STREAM, isWelcome ? WELCOME : REFUSAL);
    if (!isWelcome) return undefined;
    this.#isGreeting = true;
    return this.#newLanes(FRAMED, true);
  }

  #newLanes(framing: Framing, isTrusted: boolean): Lanes {
    const {limits, onLane} = this.#served;
    return new Lanes({
      framing,
      mostBytes: this.#association.maxMessageInPacketBytes(),
      limits,
      send: (stream, message) => this.#send(stream, message),
      isUnderWay: () => this.#association.bufferedBytes() > 0,
      wake: () => this.#wake(),
      onLane: lane => onLane(lane, this.#address, isTrusted),
      onSpoilt: () => this.#association.abort(),
    });
  }

  /**
   * Sends a message. If the peer stops acknowledging messages, the association soon does not accept any more of them.
   */
  #send(stream: number, message: Uint8Array): boolean {
    const isTaken = this.#association.send(stream, message);
    if (isTaken && this.#isPlain) this.#heardNs = this.#served.clock();
    return isTaken;
  }

  /**
   * Schedules a microtask that writes everything asked for until then. Nothing is written during a call of the
   * association.
   */
  #wake(): void {
    if (this.#isWaking) return;
    this.#isWaking = true;
    queueMicrotask(() => {
      this.#isWaking = false;
      this.go();
    });
  }
}
