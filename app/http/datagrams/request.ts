import {HOST} from '../../page/url.ts';
import {HeadReader, paddedHead} from '../head.ts';
import {requestedUrl} from '../request.ts';
import {type FrameRange, MOST_RANGES, RANGE_BYTES, rangeField, readRangeField} from './ranges.ts';

/** A GET that is a datagram: of all frames of a response, or of some. */
export interface DatagramRequest {
  readonly url: string;
  /** Number of the request, whose frames come with it; from 0. */
  readonly request: number;
  /** Number of the datagram, so that an answer tells which it answers; from 0. */
  readonly datagram: number;
  /** Null: all of them. */
  readonly ranges: readonly FrameRange[] | null;
  /** What the client last measured, µs: what was sent less than that ago is not missing. Null if it has not. */
  readonly rttUs: number | null;
}

/** HTTP in a datagram (C03 §4), of exactly `bytes` unless it needs more. */
export function encodeDatagramRequest(
  {url, request, datagram, ranges, rttUs}: DatagramRequest,
  bytes: number,
): Uint8Array {
  const range = ranges === null ? [] : [`Range: ${rangeField(ranges)}`];
  const rtt = rttUs === null ? [] : [`RTT: ${rttUs}`];
  const fields = [`Request: ${request}`, `Datagram: ${datagram}`, ...range, ...rtt];
  return paddedHead([`GET ${url} HTTP/1.1`, `Host: ${HOST}`, ...fields], bytes);
}

/** Undefined for what is no such GET, whole. */
export function readDatagramRequest(bytes: Uint8Array): DatagramRequest | undefined {
  const reader = new HeadReader();
  reader.append(bytes);
  const found = reader.take();
  if (found === undefined || found.rest > 0) return undefined;
  const {fields} = found.head;
  const url = requestedUrl(found.head);
  const [request, datagram] = ['request', 'datagram'].map(name => wholeNumber(fields.get(name)));
  const range = fields.get('range');
  const ranges = range === undefined ? null : readRangeField(range);
  const rtt = fields.get('rtt');
  const rttUs = rtt === undefined ? null : wholeNumber(rtt);
  if (url === undefined || request === undefined || datagram === undefined) return undefined;
  if (ranges === undefined || rttUs === undefined) return undefined;
  return {url, request, datagram, ranges, rttUs};
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** How many ranges a GET of that URL has room for in a datagram of `limitBytes`; below 1 if that is too small for it. */
export function mostRanges(url: string, limitBytes: number): number {
  const most = MOST_NUMBER;
  const asked = {url, request: most, datagram: most, ranges: [], rttUs: most};
  const bare = encodeDatagramRequest(asked, 0).length;
  return Math.min(MOST_RANGES, Math.floor((limitBytes - bare) / RANGE_BYTES));
}

const MOST_NUMBER = 999_999_999;
