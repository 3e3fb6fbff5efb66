import type {ResponseEvent} from '../exchange.ts';
import {type Frame, readFrame} from './datagramFrame.ts';
import {encodeDatagramRequest, mostRanges} from './datagramRequest.ts';
import type {FramedResponse} from './framedResponse.ts';
import {type FrameRange, rangesOf} from './frameRanges.ts';
import type {Receiver} from './receiver.ts';

export interface DatagramClientOptions {
  /** Size in bytes to which each GET is padded. If it exceeds `limitBytes`, GETs are padded to `limitBytes`. */
  readonly requestBytes: number;
  /** Largest datagram in bytes. */
  readonly limitBytes: number;
  readonly newReceiver: (object: number, url: string) => Receiver;
  readonly onResponse: (object: number, event: ResponseEvent) => void;
}

/** A GET to send now. */
export interface OutgoingDatagram {
  readonly object: number;
  readonly bytes: Uint8Array;
  /**
   * Number of the GET. A GET for a whole response keeps its number when it is repeated. Each GET for some of the frames
   * has a new number.
   */
  readonly number: number;
  readonly isRepeat: boolean;
  /** Whether the GET is sent over TCP instead of in a datagram. */
  readonly isReliable: boolean;
}

/**
 * A frame that had to wait for other frames after it arrived, from `startNs` to `endNs`. `endNs` is NaN while the frame
 * is waiting.
 */
export interface ClientWait {
  readonly request: number;
  readonly index: number;
  readonly bytes: number;
  readonly startNs: number;
  readonly endNs: number;
}

/**
 * The client of the datagram protocol of paper C03 (§4), sans-IO. If nothing arrives for one RTT, it requests the
 * missing frames, and repeats this until a frame arrives. The RTT is the last measured time from a request to a frame
 * that answered it without waiting behind other frames. It includes the think time. Before the first measurement, the
 * client uses the time of the fastest answer so far, but at most one second. Until the first frame arrives, each wait
 * is twice as long as the one before, up to {@link LONGEST_WAIT_NS} (RFC 6298 §2.1, §5.5). Later, waits double only
 * after more than {@link PERSISTENT_ASKS} unanswered repetitions of a request. The client waits at least 1.5 times the
 * gap between the last two consecutive frames. Otherwise it would send requests between any two datagrams of a slow
 * server.
 *
 * The server may mark a frame with `continues`: the frame and the one before it carry parts of the same data, for
 * example of one picture. C03 (§4) says that such frames have the same context. When a marked frame arrives, the client
 * immediately requests the missing frames that directly precede it, except for those that it has already requested for
 * this reason.
 *
 * After each call, and when {@link DatagramClient.pollTimeoutNs} is reached, drain {@link DatagramClient.pollDatagram}.
 */
export class DatagramClient {
  readonly #options: DatagramClientOptions;
  readonly #requests: Asked[] = [];
  /** Requests to send. If `ranges` is null, the whole response is requested. */
  readonly #toAsk: {readonly asked: Asked; readonly ranges: readonly FrameRange[] | null}[] = [];
  /** The times at which GETs were sent. The index is the number in the GET's field `Datagram`. */
  readonly #sentNs: number[] = [];
  readonly #waits: ClientWait[] = [];
  #numbers = 0;
  #left = 0;
  #rttNs = FIRST_RTT_NS;
  #isMeasured = false;
  #paceNs = 0;
  #last: {readonly request: number; readonly index: number; readonly atNs: number} | undefined;
  /** The time at which the client last sent a request or received a frame. It is undefined before the first request. */
  #silentNs: number | undefined;
  #unheard = 0;

  constructor(options: DatagramClientOptions) {
    this.#options = options;
  }

  /**
   * Requests an object. With `isReliable`, the GET and the abstract of its response are sent over TCP. The abstract
   * consists of the first frames. The other frames cannot be shown without it.
   */
  request(object: number, url: string, {isReliable = false}: {readonly isReliable?: boolean} = {}): void {
    const asked = this.#newRequest(object, url, isReliable);
    if (asked !== undefined) this.#toAsk.push({asked, ranges: null});
  }

  /**
   * Requests all frames except for the abstract, which is already known. The events of the abstract are reported
   * immediately.
   */
  requestRest(object: number, url: string, {frames, abstractFrames}: FramedResponse): void {
    const asked = this.#newRequest(object, url, false);
    if (asked === undefined) return;
    const header = {request: asked.request, frames: frames.length, abstractFrames, answers: null};
    this.#accept(asked, {frames: frames.length, abstractFrames});
    for (let index = 0; index < abstractFrames; index++) asked.arrived.add(index);
    this.#toAsk.push({asked, ranges: missingOf(asked, 0)});
    for (const [index, frame] of frames.slice(0, abstractFrames).entries()) {
      for (const event of asked.receiver.take({...header, ...frame, index})) this.#options.onResponse(object, event);
    }
  }

  #newRequest(object: number, url: string, isReliable: boolean): Asked | undefined {
    const {limitBytes, newReceiver, requestBytes} = this.#options;
    const ranges = mostRanges(url, limitBytes);
    if (ranges < 1) {
      const bytes = Math.max(requestBytes, url.length);
      this.#options.onResponse(object, {
        type: 'bad',
        failure: {kind: 'too-large', what: 'message', bytes, limitBytes},
      });
      return undefined;
    }
    const asked: Asked = {
      request: this.#requests.length,
      object,
      url,
      mostRanges: ranges,
      number: this.#numbers++,
      receiver: newReceiver(object, url),
      frames: null,
      abstractFrames: 0,
      arrived: new Set(),
      firstMissing: 0,
      askedEarly: new Set(),
      waiting: new Map(),
      isAsked: false,
      isReliable,
    };
    this.#requests.push(asked);
    this.#left += 1;
    return asked;
  }

  handleDatagram(bytes: Uint8Array, nowNs: number): void {
    const frame = readFrame(bytes);
    const asked = frame === undefined ? undefined : this.#requests[frame.request];
    if (frame === undefined || asked === undefined || !this.#accept(asked, frame)) return;
    this.#hear(asked, frame, nowNs);
    if (asked.arrived.has(frame.index)) return;
    asked.arrived.add(frame.index);
    asked.waiting.set(frame.index, {bytes: frame.payload.length, startNs: nowNs});
    if (asked.arrived.size === frame.frames) this.#left -= 1;
    this.#askEarly(asked, frame);
    const events = asked.receiver.take(frame);
    // If this frame must wait, it has not ended the wait of any other frame.
    if (!asked.receiver.isWaiting(frame.index)) this.#endWaits(asked, nowNs);
    for (const event of events) this.#options.onResponse(asked.object, event);
  }

  pollDatagram(nowNs: number): OutgoingDatagram | undefined {
    const dueNs = this.pollTimeoutNs();
    if (this.#toAsk.length === 0 && dueNs !== undefined && dueNs <= nowNs) this.#askAgain(nowNs);
    const next = this.#toAsk.shift();
    if (next === undefined) return undefined;
    this.#silentNs = nowNs;
    this.#sentNs.push(nowNs);
    const {asked, ranges} = next;
    asked.askedNs ??= nowNs;
    return this.#encode(asked, ranges);
  }

  /** Returns the time at which to send again, or undefined if everything has arrived or nothing has been sent yet. */
  pollTimeoutNs(): number | undefined {
    if (this.#left === 0 || this.#silentNs === undefined) return undefined;
    const waitNs = Math.max(this.#rttNs, PACES * this.#paceNs);
    const doublings = Math.max(0, this.#unheard - (this.#last === undefined ? 0 : PERSISTENT_ASKS));
    const backedOffNs = Math.min(waitNs * 2 ** doublings, Math.max(waitNs, LONGEST_WAIT_NS));
    return Math.ceil(this.#silentNs + backedOffNs);
  }

  /** Returns all waits of frames, past and current. */
  waits(): readonly ClientWait[] {
    const still = this.#requests.flatMap(({request, waiting}) =>
      Array.from(waiting, ([index, wait]) => ({request, index, ...wait, endNs: Number.NaN})),
    );
    return [...this.#waits, ...still];
  }

  /**
   * Each frame states how many frames, and how many abstract frames, its response has. Returns whether this frame
   * states the same two numbers as the frame of the response that arrived first. Stores the numbers if this frame is
   * the first to arrive.
   */
  #accept(asked: Asked, {frames, abstractFrames}: Pick<Frame, 'frames' | 'abstractFrames'>): boolean {
    if (asked.frames === null) {
      asked.frames = frames;
      asked.abstractFrames = abstractFrames;
    }
    return asked.frames === frames && asked.abstractFrames === abstractFrames;
  }

  #hear(asked: Asked, {request, index, answers}: Frame, nowNs: number): void {
    const sentNs = answers === null ? undefined : this.#sentNs[answers];
    if (sentNs !== undefined) {
      this.#rttNs = nowNs - sentNs;
      this.#isMeasured = true;
    } else if (!this.#isMeasured) this.#rttNs = Math.min(this.#rttNs, nowNs - (asked.askedNs ?? nowNs));
    const last = this.#last;
    if (last?.request === request && last.index === index - 1) this.#paceNs = nowNs - last.atNs;
    this.#last = {request, index, atNs: nowNs};
    this.#silentNs = nowNs;
    this.#unheard = 0;
  }

  #askEarly(asked: Asked, {index, continues}: Frame): void {
    const {arrived, askedEarly} = asked;
    const missing: number[] = [];
    if (!continues) return;
    for (let at = index - 1; at >= 0 && !arrived.has(at); at--) if (!askedEarly.has(at)) missing.unshift(at);
    for (const at of missing) askedEarly.add(at);
    const ranges = rangesOf(missing).slice(0, asked.mostRanges);
    if (ranges.length > 0) this.#toAsk.push({asked, ranges});
  }

  #askAgain(nowNs: number): void {
    this.#unheard += 1;
    this.#silentNs = nowNs;
    for (const asked of this.#requests) {
      const {frames, arrived, isReliable, abstractFrames} = asked;
      if (frames === null && !isReliable) this.#toAsk.push({asked, ranges: null});
      if (frames === null || arrived.size === frames) continue;
      const ranges = missingOf(asked, isReliable ? abstractFrames : 0);
      if (ranges.length > 0) this.#toAsk.push({asked, ranges});
    }
  }

  #encode(asked: Asked, ranges: readonly FrameRange[] | null): OutgoingDatagram {
    const {request, object, url, number} = asked;
    const datagram = this.#sentNs.length - 1;
    const rttUs = this.#isMeasured ? Math.floor(this.#rttNs / 1e3) : null;
    const {requestBytes, limitBytes} = this.#options;
    const most = Math.min(requestBytes, limitBytes);
    const bytes = encodeDatagramRequest({url, request, datagram, ranges, rttUs}, most);
    const isRepeat = ranges === null && asked.isAsked;
    if (ranges === null) asked.isAsked = true;
    const isReliable = asked.isReliable && ranges === null;
    return {object, bytes, number: ranges === null ? number : this.#numbers++, isRepeat, isReliable};
  }

  #endWaits({request, receiver, waiting}: Asked, nowNs: number): void {
    for (const [index, {bytes, startNs}] of waiting) {
      if (receiver.isWaiting(index)) continue;
      waiting.delete(index);
      if (startNs < nowNs) this.#waits.push({request, index, bytes, startNs, endNs: nowNs});
    }
  }
}

/** A response that the client has requested. */
interface Asked {
  readonly request: number;
  readonly object: number;
  readonly url: string;
  readonly mostRanges: number;
  /** The number of the GET for the whole response. Repetitions of this GET have the same number. */
  readonly number: number;
  readonly receiver: Receiver;
  /** The number of frames of the response. It is null before the first frame. */
  frames: number | null;
  abstractFrames: number;
  readonly arrived: Set<number>;
  /** Every frame before this one has arrived. */
  firstMissing: number;
  readonly askedEarly: Set<number>;
  readonly waiting: Map<number, {readonly bytes: number; readonly startNs: number}>;
  isAsked: boolean;
  /** The time at which the response was first requested. */
  askedNs?: number;
  readonly isReliable: boolean;
}

/** Returns the ranges of missing frames from `from` on, up to the number of ranges that one request can hold. */
function missingOf(asked: Asked, from: number): readonly FrameRange[] {
  const {frames, arrived, mostRanges} = asked;
  while (arrived.has(asked.firstMissing)) asked.firstMissing += 1;
  const ranges: {first: number; last: number}[] = [];
  for (let index = Math.max(asked.firstMissing, from); index < (frames ?? 0); index++) {
    if (arrived.has(index)) continue;
    const range = ranges.at(-1);
    if (range?.last === index - 1) range.last = index;
    else if (ranges.length === mostRanges) break;
    else ranges.push({first: index, last: index});
  }
  return ranges;
}

const FIRST_RTT_NS = 1e9;
/** Doubling makes no wait longer than this. RFC 6298 §2.5 allows such a limit for the RTO if it is at least 60 s. */
const LONGEST_WAIT_NS = 60e9;
const PACES = 1.5;
/**
 * Once a frame has arrived, this many repetitions of a request can stay unanswered before waits begin to double. Each
 * later wait is twice as long as the one before. This differs from C03, which repeats requests at a constant rate
 * forever, but a broken path must not be flooded (RFC 8085 §3.1.1). With 10 % loss in each direction, the probability
 * that eight requests in a row stay unanswered is only 1 / 600,000.
 */
const PERSISTENT_ASKS = 8;
