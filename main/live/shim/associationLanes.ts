import {Lane, type LaneHost} from './lane.ts';
import {ShimError} from './shimError.ts';
import type {ShimLimits} from './shimLimits.ts';
import type {Frame, Framing, LaneFrame} from './shimProtocol.ts';
import {CONTROL_STREAM} from './shimProtocol.ts';

export interface AssociationLanesOptions {
  readonly framing: Framing;
  /** Sends a message. Returns false if the association has no room for it now. */
  readonly send: (stream: number, message: Uint8Array) => boolean;
  /** Whether some of what was sent has not been acknowledged by the peer yet. */
  readonly isUnderWay: () => boolean;
  /** Largest size of a message, in bytes. */
  readonly mostBytes: number;
  /**
   * Limits for lanes with plain HTTP, which is HTTP without the frames of the shim. It has no flow control per stream.
   */
  readonly limits: Pick<ShimLimits, 'plainUnreadBytes' | 'plainUnreadInAllBytes'>;
  /**
   * Called when there is something to send. The callback must make sure that {@link AssociationLanes.write} is called
   * soon.
   */
  readonly wake: () => void;
  /** Called for each lane that the peer opens. If it is undefined, the peer is not allowed to open lanes. */
  readonly onLane?: (lane: Lane) => void;
  /** Called when a lane has closed. */
  readonly onGone?: (lane: Lane) => void;
  /**
   * Called if a lane with plain HTTP was closed early. Plain HTTP has no message that closes a lane. The peer may
   * therefore go on sending, and the stream cannot be used again.
   */
  readonly onSpoilt: () => void;
}

/**
 * The lanes of one association. A lane is one HTTP/1.1 connection. Each stream carries at most one lane at a time.
 * Between two shims, the first stream carries no lane. It is the control stream, for greetings, pings and pongs.
 */
export class AssociationLanes {
  readonly #options: AssociationLanesOptions;
  readonly #lanes = new Map<number, Lane>();
  /** The `life` of the next lane on each stream: its number on the stream, modulo 256. */
  readonly #lives = new Map<number, number>();
  /**
   * The `life` of the last lane that has ended on each stream. The peer may still send data of this lane, and such data
   * must not open a new lane. Lanes that the peer has reset or replaced are not included.
   */
  readonly #ended = new Map<number, number>();
  /** Encoded frames that are sent before all data. */
  readonly #frames: {readonly stream: number; readonly message: Uint8Array}[] = [];
  /** Lanes that have something to send. The first lane sends next. */
  readonly #ready = new Set<Lane>();

  constructor(options: AssociationLanesOptions) {
    this.#options = options;
  }

  get open(): number {
    return this.#lanes.size;
  }

  has(stream: number): boolean {
    return this.#lanes.has(stream);
  }

  /** Opens a lane on a stream that has none. */
  begin(stream: number): Lane {
    const life = this.#isPlain ? 0 : (this.#lives.get(stream) ?? 0);
    this.#lives.set(stream, (life + 1) % 256);
    return this.#add(stream, life);
  }

  /**
   * Handles a message.
   * @throws RangeError if the message breaks the protocol. Its text completes the sentence ‘The gateway sends …’. No shim
   * of this program sends such a message
   */
  handleMessage(stream: number, message: Uint8Array): void {
    const frame = this.#options.framing.read(message);
    if (this.#frames.length > MOST_FRAMES)
      throw new RangeError(`messages, but does not read the answers: more than ${MOST_FRAMES} of them wait`);
    if (frame === undefined) throw new RangeError('a message that is not a frame');
    if (frame.type === 'ping') this.#answerPing();
    else if (frame.type !== 'pong') this.#handle(frame, this.#laneOf(stream, frame));
  }

  /**
   * Answers a ping with a pong, unless other messages wait to be sent or acknowledged. Those messages also show that
   * this end is alive. Without this rule, pongs would fill the memory if a peer sent pings and read nothing.
   */
  #answerPing(): void {
    const {isUnderWay} = this.#options;
    if (this.#frames.length === 0 && !isUnderWay()) this.#queue(CONTROL_STREAM, {type: 'pong'});
  }

  ping(): void {
    this.#queue(CONTROL_STREAM, {type: 'ping'});
  }

  /**
   * Writes as much as the association accepts. First it writes the queued frames. Then the lanes write in rounds, one
   * message of each lane per round.
   */
  write(): void {
    const {send, framing, mostBytes} = this.#options;
    for (let next = this.#frames[0]; next !== undefined; next = this.#frames[0]) {
      if (!send(next.stream, next.message)) return;
      this.#frames.shift();
    }
    for (const lane of this.#ready) {
      this.#ready.delete(lane);
      const piece = lane.peek(mostBytes - framing.headBytes);
      if (piece === undefined) continue;
      const {stream, life} = lane;
      const frame: Frame = piece === 'end' ? {type: 'end', life} : {type: 'data', life, bytes: piece};
      const message = framing.encode(frame);
      // This lane sends again only after every other lane has sent.
      this.#ready.add(lane);
      if (message !== undefined && !send(stream, message)) return;
      lane.handleSent(piece);
      // Plain HTTP has no message with which the peer could end the lane. So the lane ends in both directions now.
      if (message === undefined) lane.handleEnd();
    }
  }

  /** Ends all lanes, because the association has ended. */
  destroy(error: Error): void {
    const lanes = [...this.#lanes.values()];
    this.#lanes.clear();
    for (const lane of lanes) lane.destroy(error);
  }

  #add(stream: number, life: number): Lane {
    const {framing, limits, wake, onGone} = this.#options;
    const {windowBytes} = framing;
    const unreadBytes = this.#isPlain ? limits.plainUnreadBytes : windowBytes;
    const host: LaneHost = {
      wake: lane => {
        this.#ready.add(lane);
        wake();
      },
      granted: ({life}, bytes) => this.#queue(stream, {type: 'credit', life, bytes}),
      gaveUp: (lane, reason) => this.#giveUp(lane, reason),
      gone: lane => {
        this.#ready.delete(lane);
        if (this.#lanes.get(stream) === lane) {
          this.#lanes.delete(stream);
          this.#ended.set(stream, life);
        }
        onGone?.(lane);
      },
    };
    const lane = new Lane({stream, life, windowBytes, unreadBytes}, host);
    // The user of the lane learns of an error when the lane closes.
    lane.on('error', () => undefined);
    this.#lanes.set(stream, lane);
    return lane;
  }

  /**
   * The lane that a frame belongs to. A data frame of an unknown lane opens that lane, if the peer may open lanes.
   * Undefined if the lane has ended, or if it is unknown and is not opened.
   */
  #laneOf(stream: number, frame: LaneFrame): Lane | undefined {
    const {onLane} = this.#options;
    const lane = this.#lanes.get(stream);
    if (lane !== undefined && lane.life === frame.life) return lane;
    if (onLane === undefined || frame.type !== 'data') return undefined;
    // With plain HTTP all lanes have the same `life`, so it cannot tell data of an ended lane from data of a new lane.
    if (!this.#isPlain && this.#ended.get(stream) === frame.life) return undefined;
    // The peer has opened a new lane on the stream, so it no longer uses the previous one.
    this.#lanes.delete(stream);
    lane?.destroy(new ShimError(502, 'the other end has given up this connection'));
    const opened = this.#add(stream, frame.life);
    onLane(opened);
    return opened;
  }

  #handle(frame: LaneFrame, lane: Lane | undefined): void {
    if (lane === undefined) return;
    switch (frame.type) {
      case 'data':
        if (!this.#hasRoom(frame.bytes) || !lane.handleBytes(frame.bytes)) this.#overrun(lane);
        break;
      case 'end':
        lane.handleEnd();
        break;
      case 'credit':
        lane.handleCredit(frame.bytes);
        break;
      case 'reset':
        this.#lanes.delete(lane.stream);
        lane.destroy(new ShimError(502, frame.reason || 'the other end has given up this connection'));
        break;
    }
  }

  get #isPlain(): boolean {
    return !Number.isFinite(this.#options.framing.windowBytes);
  }

  /** The number of bytes that were received but not read, of all lanes together. */
  get unreadBytes(): number {
    let bytes = 0;
    for (const lane of this.#lanes.values()) bytes += lane.unreadBytes;
    return bytes;
  }

  /**
   * Whether all lanes with plain HTTP together have room for the bytes. Other lanes need no limit here, because each is
   * bounded by its window.
   */
  #hasRoom({length}: Uint8Array): boolean {
    return !this.#isPlain || this.unreadBytes + length <= this.#options.limits.plainUnreadInAllBytes;
  }

  #overrun(lane: Lane): void {
    const {framing, limits} = this.#options;
    if (!this.#isPlain) throw new RangeError(`more bytes than the ${framing.windowBytes} B that were granted`);
    const {plainUnreadBytes: ofOne, plainUnreadInAllBytes: inAll} = limits;
    const why = `more than ${ofOne} B of this stream or ${inAll} B of all streams wait to be read`;
    lane.destroy(new ShimError(502, why));
  }

  #giveUp(lane: Lane, reason: string): void {
    // The association has ended, or the peer no longer uses the lane, so the peer need not be told.
    if (this.#lanes.get(lane.stream) !== lane) return;
    const {framing, onSpoilt, onLane} = this.#options;
    if (!lane.hasSent && onLane === undefined) return;
    const message = framing.encode({type: 'reset', life: lane.life, reason});
    if (message === undefined) onSpoilt();
    else this.#queueMessage(lane.stream, message);
  }

  #queue(stream: number, frame: Frame): void {
    const message = this.#options.framing.encode(frame);
    if (message !== undefined) this.#queueMessage(stream, message);
  }

  #queueMessage(stream: number, message: Uint8Array): void {
    this.#frames.push({stream, message});
    this.#options.wake();
  }
}

/** How many frames may wait to be sent. A peer that reads its answers causes far fewer, even on all streams. */
const MOST_FRAMES = 10_000;
