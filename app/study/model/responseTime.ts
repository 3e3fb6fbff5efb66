import {slowStartMs, windowsOf} from './slowStart.ts';
import {type TransferTime, transferTime} from './transfer.ts';

/** A path as L06 has it: one size of packets, one rate, one RTT, losses independent of each other. */
export interface ModelPath {
  readonly rateBps: number;
  readonly rttMs: number;
  /** p of packets with data, 0 ≤ p < 1; no acknowledgement and no request is lost. */
  readonly lossRate: number;
  /** Data of a packet. Nothing else is on the link. */
  readonly mssBytes: number;
}

/** A page as L06 has it: the HTML, and when that is there all of its objects. */
export interface ModelPage {
  readonly htmlBytes: number;
  /** M. */
  readonly objects: number;
  /** Of all of them. */
  readonly objectBytes: number;
}

export interface ModelOptions {
  /** th before the first loss, packets. It is not printed. */
  readonly initialThreshold?: number;
  /** PI: requests of TCP's that are under way at once; all by default. */
  readonly pipelineIndex?: number;
}

/** From the first packet to the page's end, and its parts; ms. */
export interface ResponseTimes {
  /** I_T: one round trip for the set-up, and `htmlMs`. */
  readonly initialMs: number;
  /** The HTML: a round trip, its packets, and the waiting of their slow start. */
  readonly htmlMs: number;
  readonly tcpMs: number;
  readonly sctpMs: number;
  /** Of each batch of TCP's objects: M / PI of them. */
  readonly batch: TransferTime;
  readonly batches: number;
  /** Of all objects. */
  readonly all: TransferTime;
}

/**
 * Mean response times of HTTP over TCP and over SCTP (L06 table I): I_T + RTT + O_T, of which SCTP has no HOB; TCP with
 * PI < M takes M / PI rounds of RTT + O_T. Both have the same I_T.
 * Differs: I_T is not printed; here 2·RTT and the time of the HTML, in which nothing is lost.
 * @throws RangeError for what no path or page has.
 */
export function responseTimes(path: ModelPath, page: ModelPage, options: ModelOptions = {}): ResponseTimes {
  const {initialThreshold = INITIAL_THRESHOLD, pipelineIndex = page.objects} = options;
  requireAll({...path, ...page, initialThreshold, pipelineIndex: Math.max(1, pipelineIndex)});
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

/** Packets. It is not printed; our choice is the 65,535 bytes of RFC 2001 §2 in segments of 1 KiB. */
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
