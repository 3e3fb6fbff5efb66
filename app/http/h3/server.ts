import {joined} from '../bytes.ts';
import {answerFields} from '../fields.ts';
import type {Field} from '../hpack/field.ts';
import {checkTrailers, requestFields} from '../message.ts';
import {type Priority, readPriority} from '../priority.ts';
import type {Respond, Response} from '../response.ts';
import {ResponseScheduler, type SchedulerName, scanEndsOf} from '../scheduler.ts';
import type {OutgoingBytes} from './client.ts';
import type {ConnectionError} from './error.ts';
import {FRAME, frame, frameHead} from './frames.ts';
import {controlStreamStart, Peer, type PeerOwner} from './peer.ts';
import {encodeFields} from './qpack.ts';

export interface H3ServerOptions {
  readonly respond: Respond;
  /** Before each answer. */
  readonly thinkNs: number;
  readonly scheduler: SchedulerName;
}

/**
 * HTTP/3's server (RFC 9114), sans-IO: all requests are thought about at once, and heads go before bodies, each of
 * which is one DATA frame.
 *
 * After each call, and when {@link H3Server.pollTimeoutNs} has come, write what {@link H3Server.pollHead} gives, then,
 * a piece at a time as long as the transport sends soon, what {@link H3Server.pollData} gives.
 */
export class H3Server implements PeerOwner {
  readonly #options: H3ServerOptions;
  readonly #peer = new Peer(this, MOST_FIELDS_BYTES);
  readonly #scheduler: ResponseScheduler;
  readonly #jobs = new Map<number, Job>();
  /** Streams that had a request, answered or not. */
  readonly #asked = new Set<number>();
  readonly #outgoing: OutgoingBytes[] = [];
  #nowNs = 0;

  constructor(options: H3ServerOptions) {
    this.#options = options;
    this.#scheduler = new ResponseScheduler(options.scheduler);
    const bytes = controlStreamStart(MOST_FIELDS_BYTES);
    this.#outgoing.push({stream: CONTROL_STREAM, bytes, object: null, isEnd: false});
  }

  handleBytes(stream: number, bytes: Uint8Array, nowNs: number): void {
    this.#nowNs = nowNs;
    this.#peer.handleBytes(stream, bytes);
  }

  handleFinished(stream: number, nowNs: number): void {
    this.#nowNs = nowNs;
    this.#peer.handleFinished(stream);
  }

  handleReset(stream: number): void {
    this.#peer.handleReset(stream);
    this.#forget(stream);
  }

  /** What is not a body's. */
  pollHead(nowNs: number): OutgoingBytes | undefined {
    for (const [stream, job] of this.#jobs) {
      if (job.written === undefined && job.readyNs <= nowNs) this.#answer(stream, job);
    }
    return this.#outgoing.shift();
  }

  /** The next piece of a body: no more than a packet carries. */
  pollData(): OutgoingBytes | undefined {
    const turn = this.#scheduler.next(() => true);
    const job = turn === undefined ? undefined : this.#jobs.get(turn.id);
    if (turn === undefined || job?.written === undefined) return undefined;
    const {body, object} = job.response;
    const piece = body.subarray(job.written, job.written + Math.min(turn.mostBytes, PIECE_BYTES));
    const bytes = job.written === 0 ? joined([frameHead(FRAME.data, body.length), piece]) : piece;
    job.written += piece.length;
    this.#scheduler.handleWritten(turn.id, piece.length);
    const isEnd = job.written === body.length;
    if (isEnd) this.#forget(turn.id);
    return {stream: turn.id, bytes, object, isEnd};
  }

  /** There is a body to write. */
  get hasData(): boolean {
    return this.#scheduler.next(() => true) !== undefined;
  }

  /** When to ask again; undefined if the server waits for nothing but its client. */
  pollTimeoutNs(nowNs: number): number | undefined {
    let earliest: number | undefined;
    for (const {readyNs} of this.#jobs.values()) {
      if (readyNs > nowNs) earliest = Math.min(earliest ?? readyNs, readyNs);
    }
    return earliest;
  }

  handleFields(stream: number, fields: readonly Field[]): void {
    if (this.#asked.has(stream)) {
      checkTrailers(fields, true);
      return;
    }
    const request = requestFields(fields);
    const url = request.get(':method') === 'GET' ? request.get(':path') : undefined;
    this.#asked.add(stream);
    const response = this.#options.respond(url);
    const priority = readPriority(request.get('priority') ?? '');
    this.#jobs.set(stream, {
      response,
      priority,
      readyNs: this.#nowNs + this.#options.thinkNs,
      written: undefined,
    });
  }

  /** What a GET brings is of no use (RFC 9110 §9.3.1). */
  handleData(): void {}

  handleEnd(): void {}

  handlePriority(stream: number, text: string): void {
    const job = this.#jobs.get(stream);
    if (job === undefined) return;
    job.priority = readPriority(text);
    this.#scheduler.reprioritize(stream, job.priority);
  }

  handleBadStream(stream: number): void {
    this.#forget(stream);
  }

  handleBroken(_error: ConnectionError): void {
    for (const stream of [...this.#jobs.keys()]) this.#forget(stream);
  }

  #answer(stream: number, job: Job): void {
    const {response, priority} = job;
    const isEmpty = response.body.length === 0;
    const bytes = frame(FRAME.headers, encodeFields(answerFields(response)));
    job.written = 0;
    this.#outgoing.push({stream, bytes, object: response.object, isEnd: isEmpty});
    if (isEmpty) this.#forget(stream);
    else this.#scheduler.add(stream, {priority, scanEnds: scanEndsOf(response.body)});
  }

  #forget(stream: number): void {
    this.#jobs.delete(stream);
    this.#scheduler.remove(stream);
  }
}

interface Job {
  readonly response: Response;
  priority: Priority;
  readonly readyNs: number;
  /** Of the body; undefined while the server thinks. */
  written: number | undefined;
}

/** Its first in one direction (RFC 9000 §2.1). */
const CONTROL_STREAM = 3;
/** With the headers of frame, packet, UDP and IP one packet of 1500 bytes. */
const PIECE_BYTES = 1400;
/** As large as HTTP/1.1's heads here may be, and a browser's beyond. */
const MOST_FIELDS_BYTES = 65_536;
