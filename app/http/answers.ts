import type {Field} from './hpack/field.ts';
import {checkTrailers, type MessageFields, requestFields} from './messageRules.ts';
import {type Priority, readPriority} from './priority.ts';
import type {Respond, Response} from './response.ts';
import {type Dependency, openOrder, type ResponseOrder, type Scheduling} from './responseOrder.ts';
import {scanEndsOf} from './scheduler.ts';
import {type ThinkOptions, ThinkTimes} from './thinkTimes.ts';

export interface AnswersOptions extends ThinkOptions {
  readonly respond: Respond;
  /**
   * Returns the response that is sent instead of the requested one, or undefined if the requested one is sent. The
   * function gets only the fields of the request.
   */
  readonly refuse?: (request: {readonly fields: MessageFields}) => Response | undefined;
  readonly scheduler: Scheduling;
}

/** An answer whose think time has ended. */
export interface DueAnswer {
  readonly stream: number;
  readonly response: Response;
  /** Whether the answer ends with its head, because it has no body or answers a HEAD. */
  readonly isEnd: boolean;
}

/** The next bytes of a body. */
export interface BodyPiece {
  readonly stream: number;
  readonly response: Response;
  readonly bytes: Uint8Array;
  readonly isFirst: boolean;
  readonly isEnd: boolean;
}

/**
 * The requests that a server of HTTP/2 or HTTP/3 has to answer, one for each stream. A head can be written as soon as
 * it is due, before the bodies of other answers. The caller must remove an answer with {@link Answers.forget} once its
 * end is written.
 */
export class Answers {
  readonly #options: AnswersOptions;
  readonly #scheduler: ResponseOrder;
  readonly #thinkTimes: ThinkTimes;
  readonly #jobs = new Map<number, Job>();
  /** Streams of the requests whose think time has not ended. */
  readonly #thinking = new Set<number>();
  /** Streams on which a request has arrived, including those that are already answered. */
  readonly #asked = new Set<number>();
  /** Priorities that arrived before their requests, by stream. */
  readonly #early = new Map<number, Priority>();

  constructor(options: AnswersOptions) {
    this.#options = options;
    this.#scheduler = openOrder(options.scheduler);
    this.#thinkTimes = new ThinkTimes(options);
  }

  /** Handles the fields of a request's head or trailers. @throws MessageError */
  handleFields(stream: number, fields: readonly Field[], isEnd: boolean, nowNs: number): void {
    if (this.#asked.has(stream)) {
      checkTrailers(fields, isEnd);
      return;
    }
    const request = requestFields(fields);
    const method = request.get(':method');
    const isHead = method === 'HEAD';
    const url = method === 'GET' || isHead ? request.get(':path') : undefined;
    this.#asked.add(stream);
    // A PRIORITY_UPDATE takes precedence over the field (RFC 9218 §7).
    const priority = this.#early.get(stream) ?? readPriority(request.get('priority') ?? '');
    this.#early.delete(stream);
    const {refuse, respond} = this.#options;
    this.#jobs.set(stream, {
      response: refuse?.({fields: request}) ?? respond(url),
      isHead,
      priority,
      readyNs: this.#thinkTimes.readyNs(nowNs),
      written: undefined,
    });
    this.#thinking.add(stream);
  }

  /** Handles the text of a PRIORITY_UPDATE frame. It may arrive before its request (RFC 9218 §7). */
  handlePriority(stream: number, text: string): void {
    const priority = readPriority(text);
    const job = this.#jobs.get(stream);
    if (job !== undefined) {
      job.priority = priority;
      this.#scheduler.reprioritize(stream, priority);
    } else if (!this.#asked.has(stream) && (this.#early.has(stream) || this.#early.size < MOST_EARLY)) {
      this.#early.set(stream, priority);
    }
  }

  /** Handles the dependency that a request or a PRIORITY frame states (RFC 7540 §5.3). */
  handleDependency(stream: number, dependency: Dependency): void {
    this.#scheduler.depend(stream, dependency);
  }

  /** Returns the answers whose think time has ended. Each answer is returned only once. */
  takeDue(nowNs: number): readonly DueAnswer[] {
    if (this.#thinking.size === 0) return NONE_DUE;
    const due: DueAnswer[] = [];
    for (const stream of this.#thinking) {
      const job = this.#jobs.get(stream);
      if (job === undefined || job.readyNs > nowNs) continue;
      this.#thinking.delete(stream);
      const {response, priority} = job;
      job.written = 0;
      const isEnd = job.isHead || response.body.length === 0;
      this.#scheduler.add(stream, {priority, scanEnds: scanEndsOf(response.body)});
      due.push({stream, response, isEnd});
    }
    return due;
  }

  /**
   * Returns the next piece of a body, which has at most `mostBytes`. The scheduler chooses among the streams for which
   * `roomOf` returns more than 0 bytes. The result is undefined if no such stream has a body to write.
   */
  nextPiece(roomOf: (stream: number) => number, mostBytes: number): BodyPiece | undefined {
    const turn = this.#scheduler.next(stream => roomOf(stream) > 0);
    if (turn === undefined) return undefined;
    return this.pieceOf(turn.id, Math.min(turn.mostBytes, roomOf(turn.id), mostBytes));
  }

  /**
   * Returns the stream that the scheduler chooses among those for which `canWrite` is true, or undefined if there is
   * none. Then call {@link Answers.pieceOf} with the number of bytes of the body that are written on this stream now.
   */
  nextStream(canWrite: (stream: number) => boolean): number | undefined {
    return this.#scheduler.next(canWrite)?.id;
  }

  /**
   * Returns the next bytes of the body of a stream, at most `mostBytes`. With 0 bytes, the stream has had its turn, but
   * nothing of its body is written. Returns undefined if the stream has no answer to write.
   */
  pieceOf(stream: number, mostBytes: number): BodyPiece | undefined {
    const job = this.#jobs.get(stream);
    if (job?.written === undefined) return undefined;
    const {response, written} = job;
    const bytes = response.body.subarray(written, written + mostBytes);
    job.written += bytes.length;
    this.#scheduler.handleWritten(stream, bytes.length);
    return {stream, response, bytes, isFirst: written === 0, isEnd: job.written === response.body.length};
  }

  /** Returns the time at which the next answer is due, or undefined if no think time is running. */
  pollTimeoutNs(nowNs: number): number | undefined {
    let earliest: number | undefined;
    for (const stream of this.#thinking) {
      const {readyNs = nowNs} = this.#jobs.get(stream) ?? {};
      if (readyNs > nowNs) earliest = Math.min(earliest ?? readyNs, readyNs);
    }
    return earliest;
  }

  /** Number of requests whose answers have not been removed by {@link Answers.forget}. */
  get waiting(): number {
    return this.#jobs.size;
  }

  /** Returns the object that was requested on a stream, or null if there is none or the answer has been removed. */
  objectOf(stream: number): number | null {
    return this.#jobs.get(stream)?.response.object ?? null;
  }

  forget(stream: number): void {
    this.#jobs.delete(stream);
    this.#thinking.delete(stream);
    this.#scheduler.remove(stream);
  }

  forgetAll(): void {
    for (const stream of [...this.#jobs.keys()]) this.forget(stream);
  }
}

const NONE_DUE: readonly DueAnswer[] = [];

/**
 * The largest number of priorities that are kept for requests that have not arrived. It is about the number of streams
 * that a client may have open.
 */
const MOST_EARLY = 100;

interface Job {
  readonly response: Response;
  /** Whether the request is a HEAD. Its answer consists of the fields only. */
  readonly isHead: boolean;
  priority: Priority;
  readonly readyNs: number;
  /** Number of bytes of the body that have been written. It is undefined until the think time has ended. */
  written: number | undefined;
}
