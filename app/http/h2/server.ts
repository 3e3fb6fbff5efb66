import {answerFields} from '../fields.ts';
import type {Field} from '../hpack/field.ts';
import {checkTrailers, requestFields} from '../message.ts';
import {type Priority, readPriority} from '../priority.ts';
import type {Respond, Response} from '../response.ts';
import {ResponseScheduler, type SchedulerName, scanEndsOf} from '../scheduler.ts';
import {USUAL_WINDOW_BYTES} from './flow.ts';
import {SETTING} from './frame.ts';
import {MOST_STREAMS, type OutgoingFrames, Peer, type PeerOwner} from './peer.ts';

export interface H2ServerOptions {
  readonly respond: Respond;
  /** Before each answer. */
  readonly thinkNs: number;
  readonly scheduler: SchedulerName;
}

/**
 * HTTP/2's server (RFC 9113 §8), sans-IO: all requests are thought about at once, and heads go before bodies.
 *
 * After each call, and when {@link H2Server.pollTimeoutNs} has come, write what {@link H2Server.pollFrames} gives,
 * then, a piece at a time as long as the transport sends soon, what {@link H2Server.pollData} gives.
 */
export class H2Server implements PeerOwner {
  readonly #options: H2ServerOptions;
  readonly #peer: Peer;
  readonly #scheduler: ResponseScheduler;
  readonly #jobs = new Map<number, Job>();
  /** Streams that had a request, answered or not. */
  readonly #asked = new Set<number>();
  #nowNs = 0;

  constructor(options: H2ServerOptions) {
    this.#options = options;
    this.#scheduler = new ResponseScheduler(options.scheduler);
    this.#peer = new Peer({role: 'server', ...SERVER, owner: this});
  }

  handleConnected(): void {
    this.#peer.start();
  }

  handleBytes(bytes: Uint8Array, nowNs: number): void {
    this.#nowNs = nowNs;
    this.#peer.handleBytes(bytes);
  }

  /** Control frames and heads. */
  pollFrames(nowNs: number): OutgoingFrames | undefined {
    for (const [stream, job] of this.#jobs) {
      if (job.written === undefined && job.readyNs <= nowNs) this.#answer(stream, job);
    }
    return this.#peer.pollFrames();
  }

  /** The next piece of a body: no more than a packet carries. */
  pollData(): OutgoingFrames | undefined {
    const turn = this.#scheduler.next(stream => this.#peer.dataRoom(stream) > 0);
    const job = turn === undefined ? undefined : this.#jobs.get(turn.id);
    if (turn === undefined || job?.written === undefined) return undefined;
    const {body} = job.response;
    const mostBytes = Math.min(turn.mostBytes, this.#peer.dataRoom(turn.id), PIECE_BYTES);
    const bytes = body.subarray(job.written, job.written + mostBytes);
    job.written += bytes.length;
    this.#scheduler.handleWritten(turn.id, bytes.length);
    const isEnd = job.written === body.length;
    const piece = this.#peer.sealData(turn.id, bytes, isEnd);
    if (isEnd) this.#forget(turn.id);
    return piece;
  }

  /** There is a body that its client would take. */
  get hasData(): boolean {
    return this.#scheduler.next(stream => this.#peer.dataRoom(stream) > 0) !== undefined;
  }

  /** When to ask again; undefined if the server waits for nothing but its client. */
  pollTimeoutNs(nowNs: number): number | undefined {
    let earliest: number | undefined;
    for (const {readyNs} of this.#jobs.values()) {
      if (readyNs > nowNs) earliest = Math.min(earliest ?? readyNs, readyNs);
    }
    return earliest;
  }

  objectOf(stream: number): number | null {
    return this.#jobs.get(stream)?.response.object ?? null;
  }

  handleFields(stream: number, fields: readonly Field[], isEnd: boolean): void {
    if (this.#asked.has(stream)) {
      checkTrailers(fields, isEnd);
      return;
    }
    const request = requestFields(fields);
    const url = request.get(':method') === 'GET' ? request.get(':path') : undefined;
    this.#asked.add(stream);
    const response = this.#options.respond(url);
    const priority = readPriority(request.get('priority') ?? '');
    const readyNs = this.#nowNs + this.#options.thinkNs;
    this.#jobs.set(stream, {response, priority, readyNs, written: undefined});
  }

  /** What a GET brings is of no use (RFC 9110 §9.3.1). */
  handleData(): void {}

  handleReset(stream: number): void {
    this.#forget(stream);
  }

  /** Of pushes, which there are none of. */
  handleGoaway(): void {}

  handleBroken(): void {
    for (const stream of this.#jobs.keys()) this.#forget(stream);
  }

  handlePriority(stream: number, text: string): void {
    const job = this.#jobs.get(stream);
    if (job === undefined) return;
    job.priority = readPriority(text);
    this.#scheduler.reprioritize(stream, job.priority);
  }

  #answer(stream: number, job: Job): void {
    const {response, priority} = job;
    const isEmpty = response.body.length === 0;
    job.written = 0;
    this.#peer.sendFields(stream, answerFields(response), isEmpty);
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

/** With its frame's and its record's own bytes one packet (1369: `recordContentBytes`). */
const PIECE_BYTES = 1360;

/** As large as HTTP/1.1's heads here may be, and a browser's beyond. */
const [TABLE_BYTES, LIST_BYTES] = [4096, 65_536];

/** A request has no body, so the usual windows do (RFC 9113 §6.9.2). */
const SERVER = {
  tableBytes: TABLE_BYTES,
  listBytes: LIST_BYTES,
  ...{streamWindowBytes: USUAL_WINDOW_BYTES, connectionWindowBytes: USUAL_WINDOW_BYTES},
  settings: [
    [SETTING.maxConcurrentStreams, MOST_STREAMS],
    [SETTING.maxHeaderListSize, LIST_BYTES],
    // RFC 9218 §2.1
    [SETTING.noRfc7540Priorities, 1],
  ],
} as const;
