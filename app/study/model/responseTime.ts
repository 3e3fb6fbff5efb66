import {slowStartMs, windowsOf} from './slowStart.ts';
import {type TransferTime, transferTime} from './transfer.ts';

/**
 * A path in L06's model. All packets have the same size, rate and RTT are constant, and losses are independent of each
 * other.
 */
export interface ModelPath {
  readonly rateBps: number;
  readonly rttMs: number;
  /** p, the probability that a packet with data is lost, 0 ≤ p < 1. No acknowledgement and no request is lost. */
  readonly lossRate: number;
  /** The bytes of data in a packet. The model has no headers. */
  readonly mssBytes: number;
}

/** A page in L06's model. The client requests all objects once it has the whole HTML. */
export interface ModelPage {
  readonly htmlBytes: number;
  /** M, the number of objects besides the HTML. */
  readonly objects: number;
  /** The bytes of all objects together. */
  readonly objectBytes: number;
}

export interface ModelOptions {
  /** th, the slow start threshold before the first loss, in packets. L06 does not print its value. */
  readonly initialThreshold?: number;
  /** PI, the number of requests that TCP pipelines in one batch. By default, all. */
  readonly pipelineIndex?: number;
}

/** The times from the first packet to the end of the page, and their parts, in ms. */
export interface ResponseTimes {
  /** I_T, the time until the client has the HTML: one round trip for the connection's set-up, plus `htmlMs`. */
  readonly initialMs: number;
  /** The time of the HTML: a round trip, its packets on the link, and the waiting in their slow start. */
  readonly htmlMs: number;
  readonly tcpMs: number;
  readonly sctpMs: number;
  /** The transfer of one batch of objects over TCP. A batch has PI objects, or all objects if there are fewer. */
  readonly batch: TransferTime;
  /** M / PI, which need not be a whole number. It is at least 1, or 0 if the page has no objects. */
  readonly batches: number;
  /** The transfer of all objects in a single batch. */
  readonly all: TransferTime;
}

/**
 * Mean response times of HTTP over TCP and over SCTP: I_T + RTT + O_T (L06 table I). I_T is the time until the client
 * has the HTML, and is the same for TCP and SCTP. RTT is the round trip of the requests for the objects. O_T is the
 * duration of the objects' transfer, which has no head-of-line blocking over SCTP. If PI < M, TCP needs M / PI rounds
 * of RTT + O_T.
 * L06 does not print a formula for I_T. We use RTT + `htmlMs`, and assume that no packet of the HTML is lost.
 * @throws RangeError if a value is impossible for a path or a page.
 */
export function responseTimes(path: ModelPath, page: ModelPage, options: ModelOptions = {}): ResponseTimes {
  const {initialThreshold = INITIAL_THRESHOLD, pipelineIndex = Math.max(1, page.objects)} = options;
  requireAll({...path, ...page, initialThreshold, pipelineIndex});
  const {rttMs, lossRate} = path;
  const serialisationMs = (path.mssBytes * 8e3) / path.rateBps;
  const pace = {rttMs, serialisationMs};
  const packetsOf = (bytes: number): number => Math.ceil(bytes / path.mssBytes);
  const html = packetsOf(page.htmlBytes);
  const htmlMs = rttMs + html * serialisationMs + slowStartMs(windowsOf(html), pace);
  const initialMs = rttMs + htmlMs;
  const timeOf = (packets: number): TransferTime => transferTime({...pace, lossRate, initialThreshold, packets});
  const batches = page.objects === 0 ? 0 : Math.max(1, page.objects / pipelineIndex);
  const all = timeOf(packetsOf(page.objectBytes));
  const batch = batches > 1 ? timeOf(packetsOf(page.objectBytes / batches)) : all;
  return {
    initialMs,
    htmlMs,
    batch,
    batches,
    all,
    tcpMs: initialMs + batches * (rttMs + batch.totalMs),
    sctpMs: initialMs + Math.min(1, batches) * (rttMs + all.totalMs - all.headOfLineMs),
  };
}

/** The initial threshold, packets. L06 does not print it. We chose 65,535 bytes (RFC 2001 §2), in segments of 1 KiB. */
const INITIAL_THRESHOLD = 64;

const LIMITS = {
  rateBps: {least: 1, most: Number.MAX_VALUE},
  rttMs: {least: 0, most: Number.MAX_VALUE},
  lossRate: {least: 0, most: 1 - Number.EPSILON},
  mssBytes: {least: 1, most: Number.MAX_VALUE},
  htmlBytes: {least: 0, most: Number.MAX_SAFE_INTEGER},
  objects: {least: 0, most: Number.MAX_SAFE_INTEGER},
  objectBytes: {least: 0, most: Number.MAX_SAFE_INTEGER},
  initialThreshold: {least: 1, most: Number.MAX_SAFE_INTEGER},
  pipelineIndex: {least: 1, most: Number.MAX_SAFE_INTEGER},
} as const;

function requireAll(values: {readonly [K in keyof typeof LIMITS]: number}): void {
  for (const [name, {least, most}] of Object.entries(LIMITS)) {
    const value = values[name as keyof typeof LIMITS];
    if (!(value >= least && value <= most))
      throw new RangeError(`invalid ${name}: ${value} (must be from ${least} to ${most})`);
  }
}
