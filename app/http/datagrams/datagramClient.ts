import type {ResponseEvent} from '../exchange.ts';
import {type Frame, readFrame} from './datagramFrame.ts';
import {encodeDatagramRequest, mostRanges} from './datagramRequest.ts';
import type {FramedResponse} from './framedResponse.ts';
import {type FrameRange, rangesOf} from './frameRanges.ts';
import type {Receiver} from './receiver.ts';

export interface DatagramClientOptions {
  /** Size of each GET in bytes. A GET may need more, and never exceeds a datagram. */
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
  /** A GET that is resent unchanged keeps its number. */
  readonly number: number;
  readonly isRepeat: boolean;
  /** Whether it goes by TCP instead of a datagram. */
  readonly isReliable: boolean;
}

/** A frame that arrived and waited for others from `startNs` to `endNs`, which is NaN while it waits. */
export interface ClientWait {
  readonly request: number;
  readonly index: number;
  readonly bytes: number;
  readonly startNs: number;
  readonly endNs: number;
}

/**
 * The client of C03 (§4), sans-IO. After one RTT of silence it requests everything that is missing, and again each RTT
 * until something arrives. The RTT is the last measured time from a request to the datagram that answered it at once.
 * Until one is measured, the RTT is at most the time from a request to any answer, and at most a second, which doubles
 * with each silence before anything has arrived (RFC 6298 §2.1, §5.5). The silence must also last 1.5 times the gap
 * between the last two consecutive frames. Otherwise the client would send requests between any two datagrams of a slow
 * server. A gap before a frame that depends on it is requested at once.
 *
 * After each call, and when {@link DatagramClient.pollTimeoutNs} is reached, drain {@link DatagramClient.pollDatagram}.
 */
export class DatagramClient {
  readonly #options: DatagramClientOptions;
  readonly #requests: Asked[] = [];
  /** Requests to send. Null ranges stand for the whole response. */
  readonly #toAsk: {readonly asked: Asked; readonly ranges: readonly FrameRange[] | null}[] = [];
  /** When each datagram was sent, by its number. */
  readonly #sentNs: number[] = [];
  readonly #waits: ClientWait[] = [];
  #numbers = 0;
  #left = 0;
  #rttNs = FIRST_RTT_NS;
  #isMeasured = false;
  #paceNs = 0;
  #last: {readonly request: number; readonly index: number; readonly atNs: number} | undefined;
  /** When the current silence began. Undefined before the first request. */
  #silentNs: number | undefined;
  #unheard = 0;

  constructor(options: DatagramClientOptions) {
    this.#options = options;
  }

  /** With `isReliable`, the GET goes by TCP, and so does the response's abstract. */
  request(object: number, url: string, {isReliable = false}: {readonly isReliable?: boolean} = {}): void {
    const asked = this.#newRequest(object, url, isReliable);
    if (asked !== undefined) this.#toAsk.push({asked, ranges: null});
  }

  /** Requests all but the abstract. The abstract is known already, and its events are reported at once. */
  requestRest(object: number, url: string, {frames, abstractFrames}: FramedResponse): void {
    const asked = this.#newRequest(object, url, false);
    if (asked === undefined) return;
    const header = {request: asked.request, frames: frames.length, abstractFrames, answers: null};
    this.#accept(asked, {frames: frames.length, abstractFrames});
    for (let index = 0; index < abstractFrames; index++) asked.came.add(index);
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
      came: new Set(),
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
    if (asked.came.has(frame.index)) return;
    asked.came.add(frame.index);
    asked.waiting.set(frame.index, {bytes: frame.payload.length, startNs: nowNs});
    if (asked.came.size === frame.frames) this.#left -= 1;
    this.#askEarly(asked, frame);
    const events = asked.receiver.take(frame);
    // A frame that must wait itself cannot have ended another frame's wait.
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

  /** When to send again. Undefined if everything has arrived. */
  pollTimeoutNs(): number | undefined {
    if (this.#left === 0 || this.#silentNs === undefined) return undefined;
    const waitNs = Math.max(this.#rttNs, PACES * this.#paceNs);
    const doublings = Math.max(0, this.#unheard - (this.#last === undefined ? 0 : PERSISTENT_ASKS));
    const backedOffNs = Math.min(waitNs * 2 ** doublings, Math.max(waitNs, LONGEST_WAIT_NS));
    return Math.ceil(this.#silentNs + backedOffNs);
  }

  /** All waits of frames, past and current. */
  waits(): readonly ClientWait[] {
    const still = this.#requests.flatMap(({request, waiting}) =>
      Array.from(waiting, ([index, wait]) => ({request, index, ...wait, endNs: Number.NaN})),
    );
    return [...this.#waits, ...still];
  }

  /** Whether a frame agrees with its response's first frame. */
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
    const {came, askedEarly} = asked;
    const missing: number[] = [];
    if (!continues) return;
    for (let at = index - 1; at >= 0 && !came.has(at); at--) if (!askedEarly.has(at)) missing.unshift(at);
    for (const at of missing) askedEarly.add(at);
    const ranges = rangesOf(missing).slice(0, asked.mostRanges);
    if (ranges.length > 0) this.#toAsk.push({asked, ranges});
  }

  #askAgain(nowNs: number): void {
    this.#unheard += 1;
    this.#silentNs = nowNs;
    for (const asked of this.#requests) {
      const {frames, came, isReliable, abstractFrames} = asked;
      if (frames === null && !isReliable) this.#toAsk.push({asked, ranges: null});
      if (frames === null || came.size === frames) continue;
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

interface Asked {
  readonly request: number;
  readonly object: number;
  readonly url: string;
  readonly mostRanges: number;
  /** Number of its GET. */
  readonly number: number;
  readonly receiver: Receiver;
  /** Null before the first frame. */
  frames: number | null;
  abstractFrames: number;
  readonly came: Set<number>;
  /** Every frame before this one has arrived. */
  firstMissing: number;
  readonly askedEarly: Set<number>;
  readonly waiting: Map<number, {readonly bytes: number; readonly startNs: number}>;
  isAsked: boolean;
  /** When it was first requested. */
  askedNs?: number;
  readonly isReliable: boolean;
}

/** The missing frames from `from` on, as many ranges as one request can name. */
function missingOf(asked: Asked, from: number): readonly FrameRange[] {
  const {frames, came, mostRanges} = asked;
  while (came.has(asked.firstMissing)) asked.firstMissing += 1;
  const ranges: {first: number; last: number}[] = [];
  for (let index = Math.max(asked.firstMissing, from); index < (frames ?? 0); index++) {
    if (came.has(index)) continue;
    const range = ranges.at(-1);
    if (range?.last === index - 1) range.last = index;
    else if (ranges.length === mostRanges) break;
    else ranges.push({first: index, last: index});
  }
  return ranges;
}

const FIRST_RTT_NS = 1e9;
/** RFC 6298 §2.5 allows an upper bound of the RTO. */
const LONGEST_WAIT_NS = 60e9;
const PACES = 1.5;
/**
 * Differs: C03 sets no limit to repeated requests. With 10 % loss each way, one silence in 600,000 outlasts eight
 * requests, and a broken path must not be flooded (RFC 8085 §3.1.1).
 */
const PERSISTENT_ASKS = 8;
