import type {NumberedFrame} from '../exchange.ts';
import type {Respond} from '../response.ts';
import {type ThinkOptions, ThinkTimes} from '../thinkTimes.ts';
import {encodeFrame} from './datagramFrame.ts';
import {readDatagramRequest} from './datagramRequest.ts';
import type {FramedResponse, FrameResponse} from './framedResponse.ts';
import type {FrameRange} from './frameRanges.ts';

export interface DatagramServerOptions extends ThinkOptions {
  readonly respond: Respond;
  readonly frame: FrameResponse;
  /** Largest payload of a frame in bytes. */
  readonly payloadBytes: number;
  /**
   * Sending rate in bits per second of IP packets. The server needs a fixed rate, because it receives no feedback about
   * the link's capacity.
   */
  readonly rateBps: number;
  /** Whether each frame of an abstract is sent twice (C03 §4). Frames that the client requests again are sent once. */
  readonly isAbstractTwice: boolean;
  /**
   * Fetches a response from another server. The function is present only for an adapter (C03 §5), which forwards the
   * frames of this other server. {@link DatagramServer.handleFetched} must be called for each frame that arrives, in
   * order.
   */
  readonly fetch?: (request: number, url: string) => void;
}

/** A datagram to send now. */
export interface OutgoingFrame extends NumberedFrame {
  readonly object: number | null;
  readonly bytes: Uint8Array;
}

/**
 * The server of C03 (§4), sans-IO. It answers a GET with the frames that the GET requests. Resent frames have priority
 * over new frames. Within both groups, frames of abstracts have priority over other frames. A GET does not add a frame
 * that is already queued or may still be in flight.
 *
 * After {@link DatagramServer.handleDatagram}, and when {@link DatagramServer.pollTimeoutNs} is reached, drain {@link
 * DatagramServer.pollFrame}.
 */
export class DatagramServer {
  readonly #options: DatagramServerOptions;
  readonly #thinkTimes: ThinkTimes;
  readonly #answers = new Map<number, Answer>();
  readonly #thinking: PendingRequest[] = [];
  readonly #reliable: ReliableFrame[] = [];
  readonly #queues = [new FrameQueue(), new FrameQueue(), new FrameQueue(), new FrameQueue()] as const;
  /** The earliest time at which the next packet may be sent, according to the sending rate. */
  #freeNs = 0;
  #frames = 0;

  constructor(options: DatagramServerOptions) {
    this.#options = options;
    this.#thinkTimes = new ThinkTimes(options);
  }

  handleDatagram(bytes: Uint8Array, nowNs: number): void {
    this.#handle(bytes, nowNs, {isReliable: false});
  }

  /**
   * Handles a GET that arrived over TCP. The abstract is also sent over TCP, see {@link DatagramServer.pollReliable}.
   */
  handleReliable(bytes: Uint8Array, nowNs: number): void {
    this.#handle(bytes, nowNs, {isReliable: true});
  }

  #handle(bytes: Uint8Array, nowNs: number, {isReliable}: {readonly isReliable: boolean}): void {
    const request = readDatagramRequest(bytes);
    if (request === undefined) return;
    const known = this.#answers.get(request.request);
    if (known !== undefined && known.url !== request.url) return;
    const answer = known ?? this.#newAnswer(request.request, request.url, nowNs);
    const {ranges, datagram, rttUs} = request;
    const pending = {answer, ranges, datagram, sentBeforeNs: nowNs - 1e3 * (rttUs ?? 0), isReliable};
    if (answer.readyNs <= nowNs) this.#queue(pending);
    else this.#thinking.push(pending);
  }

  /** Called when this frame of a fetched response has arrived. All frames before it must have arrived earlier. */
  handleFetched(request: number, index: number): void {
    const answer = this.#answers.get(request);
    if (answer === undefined) return;
    answer.available = Math.max(answer.available, index + 1);
    const pending = answer.awaited.get(index);
    if (pending === undefined) return;
    // The client measures its RTT by the frame that names its datagram. A later frame would also measure how fast the
    // path from the server delivers frames.
    const datagram = index === 0 ? pending.datagram : null;
    this.#queue({...pending, ranges: [{first: index, last: index}], datagram});
  }

  pollFrame(nowNs: number): OutgoingFrame | undefined {
    for (let next = this.#thinking[0]; next !== undefined; next = this.#thinking[0]) {
      if (next.answer.readyNs > nowNs) break;
      this.#thinking.shift();
      this.#queue(next);
    }
    if (this.#freeNs > nowNs) return undefined;
    const queued = this.#queues.find(queue => !queue.isEmpty)?.take();
    return queued === undefined ? undefined : this.#send(queued, nowNs);
  }

  /**
   * Returns the next frame to send over TCP, or undefined if there is none. Call it after {@link
   * DatagramServer.pollFrame}.
   */
  pollReliable(): ReliableFrame | undefined {
    return this.#reliable.shift();
  }

  /** Returns the time of the next poll, or undefined if no frame is queued and no think time is running. */
  pollTimeoutNs(nowNs: number): number | undefined {
    if (this.#queues.some(queue => !queue.isEmpty)) return Math.max(this.#freeNs, nowNs);
    return this.#thinking[0]?.answer.readyNs;
  }

  /** Returns the number of a frame among the frames of all answers, or undefined if the request is unknown. */
  numberOf(request: number, index: number): number | undefined {
    const answer = this.#answers.get(request);
    return answer === undefined ? undefined : answer.firstNumber + index;
  }

  #newAnswer(request: number, url: string, nowNs: number): Answer {
    const {respond, frame, payloadBytes, fetch} = this.#options;
    const framed = frame(respond(url), payloadBytes);
    const answer: Answer = {
      request,
      url,
      framed,
      firstNumber: this.#frames,
      readyNs: this.#thinkTimes.readyNs(nowNs),
      queued: new Set(),
      sentNs: new Map(),
      awaited: new Map(),
      available: fetch === undefined ? framed.frames.length : 0,
    };
    this.#frames += framed.frames.length;
    this.#answers.set(request, answer);
    fetch?.(request, url);
    return answer;
  }

  #queue(pending: PendingRequest): void {
    const {answer, ranges, datagram, sentBeforeNs, isReliable} = pending;
    const isIdle = this.#queues.every(queue => queue.isEmpty);
    const {frames, abstractFrames} = answer.framed;
    const first: Queued[] = [];
    for (const range of ranges ?? [{first: 0, last: frames.length - 1}]) {
      for (let index = range.first; index <= Math.min(range.last, frames.length - 1); index++) {
        const isOnItsWay = (answer.sentNs.get(index) ?? sentBeforeNs) > sentBeforeNs;
        if (answer.queued.has(index) || isOnItsWay) continue;
        if (index >= answer.available) {
          if (!answer.awaited.has(index)) answer.awaited.set(index, pending);
          continue;
        }
        if (isReliable && index < abstractFrames) {
          this.#reliable.push({object: answer.framed.object, bytes: encoded(answer, index, null)});
          continue;
        }
        answer.queued.add(index);
        const queued: Queued = {answer, index, answers: null};
        first.push(queued);
        this.#queueOf(queued).push(queued);
      }
    }
    const [once] = first;
    if (isIdle && once !== undefined) once.answers = datagram;
    if (!this.#options.isAbstractTwice) return;
    const again = first.filter(({index}) => index < abstractFrames && !answer.sentNs.has(index));
    for (const each of again) this.#queueOf(each).push({...each, answers: null});
  }

  #queueOf({answer, index}: Queued): FrameQueue {
    const [abstractAgain, again, abstract, rest] = this.#queues;
    const isAbstract = index < answer.framed.abstractFrames;
    if (answer.sentNs.has(index)) return isAbstract ? abstractAgain : again;
    return isAbstract ? abstract : rest;
  }

  #send({answer, index, answers}: Queued, nowNs: number): OutgoingFrame {
    const {request, framed, firstNumber, queued, sentNs} = answer;
    const bytes = encoded(answer, index, answers);
    const isRepeat = sentNs.has(index);
    queued.delete(index);
    sentNs.set(index, nowNs);
    const packetNs = ((bytes.length + IP_UDP_BYTES) * 8e9) / this.#options.rateBps;
    this.#freeNs = Math.ceil(nowNs + packetNs);
    return {object: framed.object, bytes, number: firstNumber + index, stream: request, isRepeat};
  }
}

function encoded({request, framed}: Answer, index: number, answers: number | null): Uint8Array {
  const {payload = NOTHING, continues = false} = framed.frames[index] ?? {};
  const {abstractFrames, frames} = framed;
  return encodeFrame({request, index, frames: frames.length, answers, abstractFrames, continues, payload});
}

interface ReliableFrame {
  readonly object: number | null;
  readonly bytes: Uint8Array;
}

interface Answer {
  readonly request: number;
  readonly url: string;
  readonly framed: FramedResponse;
  /** Number of the first frame. Frames are numbered across all answers. */
  readonly firstNumber: number;
  readonly readyNs: number;
  readonly queued: Set<number>;
  /** The time at which each frame was last sent. */
  readonly sentNs: Map<number, number>;
  /** The number of frames that can be sent, counted from the first. The other frames have not been fetched yet. */
  available: number;
  /** Maps the index of each frame that was requested before it was fetched to the first request for this frame. */
  readonly awaited: Map<number, PendingRequest>;
}

/** A request whose frames are queued after the think time. */
interface PendingRequest {
  readonly answer: Answer;
  /** The requested frames, or null if all frames are requested. */
  readonly ranges: readonly FrameRange[] | null;
  /**
   * The number of the client's datagram that contained the request. The first frame contains this number if no other
   * frames are queued before it. Null if no frame may contain it.
   */
  readonly datagram: number | null;
  /** Frames that were sent after this time may still be in flight. */
  readonly sentBeforeNs: number;
  readonly isReliable: boolean;
}

/** A frame that waits to be sent. */
interface Queued {
  readonly answer: Answer;
  readonly index: number;
  answers: number | null;
}

/**
 * A first-in, first-out queue. It does not use `Array.shift`, which would move all other entries: a page can have a
 * million frames.
 */
class FrameQueue {
  #frames: Queued[] = [];
  #next = 0;

  get isEmpty(): boolean {
    return this.#next === this.#frames.length;
  }

  push(frame: Queued): void {
    this.#frames.push(frame);
  }

  take(): Queued | undefined {
    const frame = this.#frames[this.#next];
    if (frame === undefined) return undefined;
    this.#next += 1;
    if (this.isEmpty) [this.#frames, this.#next] = [[], 0];
    return frame;
  }
}

const NOTHING = new Uint8Array(0);
/** Total size of the headers of IPv4 without options (RFC 791 §3.1) and UDP (RFC 768). */
const IP_UDP_BYTES = 28;
