import type {AppEvent, Association} from '../../../native/addon/index.js';
import type {Clock} from '../../net/clock.ts';
import {carriesData} from '../base/sctpInUdp.ts';
import {PeerEnd} from '../server/peerEnd.ts';
import type {SctpPeerOptions} from '../server/sctpPeer.ts';
import type {ServedPeer} from '../server/sctpServer.ts';
import {AssociationLanes} from './associationLanes.ts';
import type {Lane} from './lane.ts';
import type {ShimLimits} from './shimLimits.ts';
import {CONTROL_STREAM, FRAMED, type Framing, helloOf, PLAIN, REFUSAL, WELCOME} from './shimProtocol.ts';

/**
 * The clock, the limits and the callbacks that all associations of a far end share. A far end is a gateway. The proxies
 * that connect to it are near ends.
 */
export interface FarServed {
  readonly clock: Clock;
  readonly limits: ShimLimits;
  /** Returns whether an Authorization field has the right token. Undefined if no token is required. */
  readonly isRight: ((authorization: string | undefined, address: string) => boolean) | undefined;
  /**
   * Called for each new lane, which is one HTTP/1.1 connection on a stream. `address` is the address of the peer that
   * opened the lane. `isTrusted` is false if a token is required and the peer has not sent it in a hello, which is a
   * near end's first message.
   */
  readonly onLane: (lane: Lane, address: string, isTrusted: boolean) => void;
}

/**
 * The far end of one association. The peer is a near end, or a client without a shim, which sends plain HTTP/1.1 on the
 * streams.
 */
export class FarPeer implements ServedPeer {
  readonly tag: number;
  readonly #association: Association;
  readonly #served: FarServed;
  readonly #transport: PeerEnd;
  readonly #address: string;
  #lanes: AssociationLanes | undefined;
  #isWaking = false;
  /** Whether the current message is the hello. */
  #isGreeting = false;
  #isPlain = false;
  /** The time of the last message from the peer. With plain HTTP, messages that are sent to the peer also count. */
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
        this.#lanes?.destroy(new Error('the association has ended'));
        options.onEnd();
      },
    });
  }

  get isIdle(): boolean {
    return (this.#lanes?.open ?? 0) === 0;
  }

  handlePacket(packet: Buffer): void {
    const {heldBytes} = this.#served.limits;
    // The packet is dropped as if the network had lost it. So the peer keeps the data and sends it again later. The
    // association has no other way to make its peer wait: it passes on each message as soon as the message is complete
    // and in order, so its receive window (a_rwnd) stays open.
    if ((this.#lanes?.unreadBytes ?? 0) > heldBytes && carriesData(packet)) return;
    this.#transport.handlePacket(packet);
  }

  go(): void {
    this.#transport.go();
  }

  /**
   * Aborts an association whose peer is silent for too long. A near end sends pings to prevent this. A client with
   * plain HTTP is allowed more time, because it is silent while it waits for its answer.
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
    // The hello belongs to no lane.
    if (this.#isGreeting) this.#isGreeting = false;
    else this.#lanes.handleMessage(event.stream, event.bytes);
  }

  /**
   * Decides by the first message whether the peer is a near end. Returns the association's lanes, of which none is open
   * yet. Undefined if the peer is refused. In that case, the next message decides again.
   */
  #begin(stream: number, bytes: Uint8Array): AssociationLanes | undefined {
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

  #newLanes(framing: Framing, isTrusted: boolean): AssociationLanes {
    const {limits, onLane} = this.#served;
    return new AssociationLanes({
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
   * Sends a message. Returns false if the association does not accept it. With plain HTTP an accepted message is a sign
   * that the peer is alive, because the send buffer soon becomes full if the peer acknowledges nothing.
   */
  #send(stream: number, message: Uint8Array): boolean {
    const isTaken = this.#association.send(stream, message);
    if (isTaken && this.#isPlain) this.#heardNs = this.#served.clock();
    return isTaken;
  }

  /**
   * Schedules a microtask that writes what the lanes have to send. Nothing is written immediately, because the
   * association may be in the middle of a call.
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
