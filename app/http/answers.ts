import type {Field} from './hpack/field.ts';
import {checkTrailers, type MessageFields, requestFields} from './message.ts';
import {type Priority, readPriority} from './priority.ts';
import type {Respond, Response} from './response.ts';
import {ResponseScheduler, type SchedulerName, scanEndsOf} from './scheduler.ts';

export interface AnswersOptions {
  readonly respond: Respond;
  /** What a request gets by its fields alone, in place of what it asks for. */
  readonly refuse?: (request: {readonly fields: MessageFields}) => Response | undefined;
  /** Before each answer. */
  readonly thinkNs: number;
  readonly scheduler: SchedulerName;
}

/** An answer whose head is to be written now. */
export interface DueAnswer {
  readonly stream: number;
  readonly response: Response;
  /** There is no body. */
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
 * What a server of HTTP/2 or HTTP/3 has to answer, a request a stream: all are thought about at once, and heads go
 * before bodies. One whose end was given is to be forgotten once it is written.
 */
export class Answers {
  readonly #options: AnswersOptions;
  readonly #scheduler: ResponseScheduler;
  readonly #jobs = new Map<number, Job>();
  /** Streams of those that are thought about. */
  readonly #thinking = new Set<number>();
  /** Streams that had a request, answered or not. */
  readonly #asked = new Set<number>();

  constructor(options: AnswersOptions) {
    this.#options = options;
    this.#scheduler = new ResponseScheduler(options.scheduler);
  }

  /** A request's head, or the trailers behind it. @throws MessageError */
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
    const {refuse, respond} = this.#options;
    this.#jobs.set(stream, {
      response: refuse?.({fields: request}) ?? respond(url),
      isHead,
      priority: readPriority(request.get('priority') ?? ''),
      readyNs: nowNs + this.#options.thinkNs,
      written: undefined,
    });
    this.#thinking.add(stream);
  }

  /** What a PRIORITY_UPDATE says (RFC 9218 §7). */
  handlePriority(stream: number, text: string): void {
    const job = this.#jobs.get(stream);
    if (job === undefined) return;
    job.priority = readPriority(text);
    this.#scheduler.reprioritize(stream, job.priority);
  }

  /** Each once. */
  takeDue(nowNs: number): readonly DueAnswer[] {
    const due: DueAnswer[] = [];
    for (const stream of this.#thinking) {
      const job = this.#jobs.get(stream);
      if (job === undefined || job.readyNs > nowNs) continue;
      this.#thinking.delete(stream);
      const {response, priority} = job;
      job.written = 0;
      const isEnd = job.isHead || response.body.length === 0;
      if (!isEnd) this.#scheduler.add(stream, {priority, scanEnds: scanEndsOf(response.body)});
      due.push({stream, response, isEnd});
    }
    return due;
  }

  /** Of the stream whose turn it is, of those that have room, bytes; undefined if there is none. */
  nextPiece(roomOf: (stream: number) => number, mostBytes: number): BodyPiece | undefined {
    const turn = this.#scheduler.next(stream => roomOf(stream) > 0);
    const job = turn === undefined ? undefined : this.#jobs.get(turn.id);
    if (turn === undefined || job?.written === undefined) return undefined;
    const {response, written} = job;
    const end = written + Math.min(turn.mostBytes, roomOf(turn.id), mostBytes);
    const bytes = response.body.subarray(written, end);
    job.written += bytes.length;
    this.#scheduler.handleWritten(turn.id, bytes.length);
    const isEnd = job.written === response.body.length;
    return {stream: turn.id, response, bytes, isFirst: written === 0, isEnd};
  }

  /** When the next is due; undefined if none is thought about. */
  pollTimeoutNs(nowNs: number): number | undefined {
    let earliest: number | undefined;
    for (const stream of this.#thinking) {
      const {readyNs = nowNs} = this.#jobs.get(stream) ?? {};
      if (readyNs > nowNs) earliest = Math.min(earliest ?? readyNs, readyNs);
    }
    return earliest;
  }

  /** How many requests are not answered whole. */
  get waiting(): number {
    return this.#jobs.size;
  }

  /** Null for one that was forgotten, too. */
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

interface Job {
  readonly response: Response;
  /** Its fields alone are asked for. */
  readonly isHead: boolean;
  priority: Priority;
  readonly readyNs: number;
  /** Of the body; undefined while the server thinks. */
  written: number | undefined;
}
