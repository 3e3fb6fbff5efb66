import type {NumberedFrame} from '../exchange.ts';
import type {Respond} from '../response.ts';
import {encodeFrame} from './datagramFrame.ts';
import {readDatagramRequest} from './datagramRequest.ts';
import type {FramedResponse, FrameResponse} from './framedResponse.ts';
import type {FrameRange} from './frameRanges.ts';

export interface DatagramServerOptions {
  readonly respond: Respond;
  /** Time that the server thinks before each answer. It thinks about several requests at once. */
  readonly thinkNs: number;
  readonly frame: FrameResponse;
  /** Largest payload of a frame in bytes. */
  readonly payloadBytes: number;
  /**
   * Sending rate in bits per second, counting IP packets. The server must limit itself, because nothing reports how
   * much the link accepts.
   */
  readonly rateBps: number;
  /** Whether each frame of an abstract is sent twice (C03 §4). */
  readonly isAbstractTwice: boolean;
  /**
   * For a server that must fetch its responses: requests one. Its frames are announced by {@link
   * DatagramServer.handleFetched}, in order.
   */
  readonly fetch?: (request: number, url: string) => void;
}

/** A datagram to send now. */
export interface OutgoingFrame extends NumberedFrame {
  readonly object: number | null;
  readonly bytes: Uint8Array;
}

/**
 * The server of C03 (§4), sans-IO. It answers a GET with all frames of the response, or with those that the GET names.
 * Repeated frames go first, and abstracts go before other frames. A frame that is queued or in flight is not sent
 * again.
 *
 * After {@link DatagramServer.handleDatagram}, and when {@link DatagramServer.pollTimeoutNs} is reached, drain {@link
 * DatagramServer.pollFrame}.
 */
export class DatagramServer {
  readonly #options: DatagramServerOptions;
  readonly #answers = new Map<number, Answer>();
  readonly #thinking: ThoughtOf[] = [];
  readonly #reliable: ReliableFrame[] = [];
  readonly #queues = [new FrameQueue(), new FrameQueue(), new FrameQueue(), new FrameQueue()] as const;
  /** When the link has taken everything sent so far. */
  #freeNs = 0;
  #frames = 0;

  constructor(options: DatagramServerOptions) {
    this.#options = options;
  }

  handleDatagram(bytes: Uint8Array, nowNs: number): void {
    this.#handle(bytes, nowNs, {isReliable: false});
  }

  /** Takes a GET that came by TCP. The abstract returns by TCP: see {@link DatagramServer.pollReliable}. */
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
    const thought = {answer, ranges, datagram, sentBeforeNs: nowNs - 1e3 * (rttUs ?? 0), isReliable};
    if (answer.readyNs <= nowNs) this.#queue(thought);
    else this.#thinking.push(thought);
  }

  /** This frame of a fetched response has arrived, and all frames before it. */
  handleFetched(request: number, index: number): void {
    const answer = this.#answers.get(request);
    if (answer === undefined) return;
    answer.here = Math.max(answer.here, index + 1);
    const thought = answer.awaited.get(index);
    if (thought === undefined) return;
    // Later frames measure the path to the server rather than the client's round trip.
    const datagram = index === 0 ? thought.datagram : null;
    this.#queue({...thought, ranges: [{first: index, last: index}], datagram});
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

  /** A frame to send by TCP. Call it after {@link DatagramServer.pollFrame}. */
  pollReliable(): ReliableFrame | undefined {
    return this.#reliable.shift();
  }

  /** When to poll again. Undefined if the server only waits for requests. */
  pollTimeoutNs(nowNs: number): number | undefined {
    if (this.#queues.some(queue => !queue.isEmpty)) return Math.max(this.#freeNs, nowNs);
    return this.#thinking[0]?.answer.readyNs;
  }

  /** The number under which a frame is recorded. Undefined if the frame was never sent. */
  numberOf(request: number, index: number): number | undefined {
    const answer = this.#answers.get(request);
    return answer === undefined ? undefined : answer.firstNumber + index;
  }

  #newAnswer(request: number, url: string, nowNs: number): Answer {
    const {respond, frame, payloadBytes, thinkNs, fetch} = this.#options;
    const framed = frame(respond(url), payloadBytes);
    const answer: Answer = {
      request,
      url,
      framed,
      firstNumber: this.#frames,
      readyNs: nowNs + thinkNs,
      queued: new Set(),
      sentNs: new Map(),
      awaited: new Map(),
      here: fetch === undefined ? framed.frames.length : 0,
    };
    this.#frames += framed.frames.length;
    this.#answers.set(request, answer);
    fetch?.(request, url);
    return answer;
  }

  #queue(thought: ThoughtOf): void {
    const {answer, ranges, datagram, sentBeforeNs, isReliable} = thought;
    const isIdle = this.#queues.every(queue => queue.isEmpty);
    const {frames, abstractFrames} = answer.framed;
    const first: Queued[] = [];
    for (const range of ranges ?? [{first: 0, last: frames.length - 1}]) {
      for (let index = range.first; index <= Math.min(range.last, frames.length - 1); index++) {
        const isOnItsWay = (answer.sentNs.get(index) ?? sentBeforeNs) > sentBeforeNs;
        if (answer.queued.has(index) || isOnItsWay) continue;
        if (index >= answer.here) {
          if (!answer.awaited.has(index)) answer.awaited.set(index, thought);
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
  /** Frames are numbered across all answers. */
  readonly firstNumber: number;
  readonly readyNs: number;
  readonly queued: Set<number>;
  /** When each frame was last sent. */
  readonly sentNs: Map<number, number>;
  /** How many frames, from the first, can be sent. */
  here: number;
  /** Frames that were requested before they were here, with the first request for each. */
  readonly awaited: Map<number, ThoughtOf>;
}

/** A request that is queued when the server has finished thinking. */
interface ThoughtOf {
  readonly answer: Answer;
  /** Null stands for all frames. */
  readonly ranges: readonly FrameRange[] | null;
  /** The client's datagram that this would answer at once. */
  readonly datagram: number | null;
  /** Frames sent later than this are still in flight. */
  readonly sentBeforeNs: number;
  readonly isReliable: boolean;
}

interface Queued {
  readonly answer: Answer;
  readonly index: number;
  answers: number | null;
}

/**
 * A first-in, first-out queue. An array's `shift` would move all other entries, and a page can have a million frames.
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
/** Sizes of the headers of IPv4 without options (RFC 791 §3.1) and UDP (RFC 768). */
const IP_UDP_BYTES = 28;
