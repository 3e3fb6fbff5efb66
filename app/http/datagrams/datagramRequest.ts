import {HOST} from '../../page/url.ts';
import type {HeadField} from '../filler.ts';
import {encodeHead, HeadReader, headBytes} from '../head.ts';
import {requestedUrl} from '../requestHead.ts';
import {type FrameRange, MOST_RANGES, RANGE_BYTES, rangeField, readRangeField} from './frameRanges.ts';

/** A GET in one datagram, which requests all or some of the frames of a response. */
export interface DatagramRequest {
  readonly url: string;
  /** Number of the request, from 0. Each frame of the response contains this number. */
  readonly request: number;
  /**
   * Number of the datagram, from 0. The first frame that answers the datagram contains this number if it does not wait
   * behind other frames.
   */
  readonly datagram: number;
  /** The requested frames, or null if all frames are requested. */
  readonly ranges: readonly FrameRange[] | null;
  /**
   * The client's last measured RTT in µs, or null if it has measured none. The server does not resend frames that it
   * sent less than one RTT ago, because they may still be in flight.
   */
  readonly rttUs: number | null;
}

/** Encodes a GET for a datagram (C03 §4). The field `X-Pad` pads it to `bytes`, if there is room for this field. */
export function encodeDatagramRequest(
  {url, request, datagram, ranges, rttUs}: DatagramRequest,
  bytes: number,
): Uint8Array {
  const startLine = `GET ${url} HTTP/1.1`;
  const fields: readonly HeadField[] = [
    ['Host', HOST],
    ['Request', String(request)],
    ['Datagram', String(datagram)],
    ...(ranges === null ? [] : [['Range', rangeField(ranges)] as const]),
    ...(rttUs === null ? [] : [['RTT', String(rttUs)] as const]),
  ];
  const room = bytes - headBytes(startLine, [...fields, ['X-Pad', '']]);
  return encodeHead(startLine, room < 0 ? fields : [...fields, ['X-Pad', '.'.repeat(room)]]);
}

/** Parses a GET from a datagram. Returns undefined if it is invalid or incomplete. */
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

/**
 * Returns the number of ranges that a GET of this URL can hold in a datagram of `limitBytes`. The result is below 1 if
 * a GET with even one range is too large for a datagram.
 */
export function mostRanges(url: string, limitBytes: number): number {
  const most = MOST_NUMBER;
  const asked = {url, request: most, datagram: most, ranges: [], rttUs: most};
  const bare = encodeDatagramRequest(asked, 0).length;
  return Math.min(MOST_RANGES, Math.floor((limitBytes - bare) / RANGE_BYTES));
}

/** The largest number in a field: nine digits. */
const MOST_NUMBER = 999_999_999;
