import {base64} from '../base/bytes.ts';
import type {Json} from '../base/json.ts';
import {type Failure, failureText} from '../page/failure.ts';
import type {PageObject} from '../page/page.ts';
import {HOST} from '../page/url.ts';
import {DIRECTION} from '../run/trace/columns.ts';
import type {SetUp} from '../run/trace/setUps.ts';
import type {Trace} from '../run/trace/trace.ts';
import type {ObjectTrace} from '../run/trace/traceData.ts';

interface EntryOptions {
  /**
   * The page's object that has the URL of the entry. It is undefined if the HTML names a URL for which the page has no
   * object.
   */
  readonly served: PageObject | undefined;
  readonly bytes: SentBytes;
  readonly scheme: 'http' | 'https';
  /** Returns the set-up of an object's connection if the object was the first on the connection. */
  readonly setUpOf: (object: number) => SetUp | undefined;
  readonly hasContent: boolean;
}

/**
 * Returns the entry of a requested object. Fields that begin with `_` are not defined by HAR. DevTools writes all of
 * them except for `_stream`, which is the number of the stream in the connection.
 * @throws RangeError if there is no such object, which is a bug
 */
export function harEntry(trace: Trace, number: number, options: EntryOptions): {readonly [field: string]: Json} {
  const object = trace.objects[number];
  if (object === undefined) throw new RangeError(`invalid object: ${number} (there are ${trace.objects.length})`);
  const {startNs, endNs, timings} = timingsOf(trace, number, options.setUpOf(number));
  const {httpVersion} = trace.pipeline;
  const connection = object.connection === null ? undefined : String(object.connection + 1);
  return {
    startedDateTime: dateText(startNs),
    time: (endNs - startNs) / 1e6,
    request: requestOf(object, options, httpVersion),
    response: responseOf(trace, number, object, options),
    cache: {},
    timings,
    ...(connection === undefined ? {} : {connection, _connectionId: connection}),
    ...(object.stream === null ? {} : {_stream: object.stream}),
    _resourceType: resourceType(number, options.served),
  };
}

/**
 * Returns the timings of an object from its discovery to its end: the wait until the request, the set-up of the
 * connection (for the first object on it), the wait for the response, and the reception of the response. Sending a GET
 * takes no time.
 */
function timingsOf({data: {objects, endNs: lastNs}}: Trace, number: number, setUp: SetUp | undefined) {
  const object = objects[number];
  const requestNs = object?.requestNs ?? 0;
  // The client knows the address of the HTML from the beginning.
  const startNs = number === 0 ? 0 : (object?.discoveredNs ?? requestNs);
  const endNs = object?.completeNs ?? object?.failedNs ?? lastNs;
  const firstNs = object?.firstByteNs ?? endNs;
  const {connectNs, sslNs} = awaited(setUp, startNs, requestNs);
  return {
    startNs,
    endNs,
    timings: {
      blocked: (requestNs - startNs - (connectNs ?? 0)) / 1e6,
      dns: -1,
      connect: connectNs === null ? -1 : connectNs / 1e6,
      // In HAR 1.2, `connect` includes `ssl`.
      ssl: sslNs === null ? -1 : sslNs / 1e6,
      send: 0,
      wait: (firstNs - requestNs) / 1e6,
      receive: (endNs - firstNs) / 1e6,
    },
  };
}

/**
 * Returns how long an object waited for the set-up of its connection between the object's discovery (`fromNs`) and its
 * request (`toNs`), in ns. `connectNs` is the wait for the whole set-up, and `sslNs` is the part of it during the TLS
 * handshake. `connectNs` and `sslNs` are null if the set-up began before `fromNs` and was over at `fromNs`, or if there
 * was none. `sslNs` is also null without TLS.
 */
function awaited(setUp: SetUp | undefined, fromNs: number, toNs: number) {
  if (setUp === undefined || (setUp.fromNs < fromNs && setUp.toNs <= fromNs)) return {connectNs: null, sslNs: null};
  const endNs = Math.min(setUp.toNs, toNs);
  const since = (ns: number): number => Math.max(endNs - Math.max(ns, fromNs), 0);
  return {connectNs: since(setUp.fromNs), sslNs: setUp.tlsNs === null ? null : since(setUp.tlsNs)};
}

function requestOf(object: ObjectTrace, {bytes: {request}, scheme, served}: EntryOptions, httpVersion: string): Json {
  const url = served?.address ?? `${scheme}://${HOST}${object.url}`;
  return {
    method: 'GET',
    url,
    httpVersion,
    cookies: [],
    headers: [{name: 'Host', value: /^\w+:\/\/([^/?#]+)/.exec(url)?.[1] ?? HOST}],
    queryString: queryOf(url),
    headersSize: request > 0 ? request : -1,
    bodySize: 0,
  };
}

function queryOf(url: string): Json {
  const query = url.split('?').slice(1).join('?');
  if (query === '') return [];
  return query.split('&').map(pair => {
    const [name = '', ...value] = pair.split('=');
    return {name, value: value.join('=')};
  });
}

function responseOf(
  trace: Trace,
  number: number,
  object: ObjectTrace,
  {served, bytes, hasContent}: EntryOptions,
): Json {
  const bodyBytes = trace.bytesAt(number, trace.data.endNs);
  const status = statusOf(object);
  const mimeType = status === 200 ? served?.contentType : undefined;
  const body = served?.body?.subarray(0, bodyBytes);
  const isWhole = object.completeNs !== null && bytes.response > bodyBytes;
  return {
    status,
    statusText: STATUS_TEXTS.get(status) ?? '',
    httpVersion: trace.pipeline.httpVersion,
    cookies: [],
    headers: mimeType === undefined ? [] : headersOf(mimeType, object),
    content: {
      size: bodyBytes,
      mimeType: mimeType ?? 'x-unknown',
      ...(hasContent && mimeType !== undefined && body ? {text: base64(body), encoding: 'base64'} : {}),
    },
    redirectURL: '',
    headersSize: isWhole ? bytes.response - bodyBytes : -1,
    bodySize: bodyBytes,
    ...(isWhole ? {_transferSize: bytes.response} : {}),
    ...(object.failure === null ? {} : {_error: failureText(object.failure)}),
  };
}

/**
 * Returns the response's header fields, without the fields that the server adds only so that the header has the size
 * that the page prescribes (`serverFields`).
 */
function headersOf(mimeType: string, {bytes}: ObjectTrace): Json {
  return [
    {name: 'Content-Type', value: mimeType},
    {name: 'Content-Length', value: String(bytes)},
  ];
}

/** Returns the status of the response. As in DevTools, it is 0 if no readable header arrived. */
function statusOf({failure, firstByteNs}: ObjectTrace): number {
  const failed = failure === null ? undefined : statusOfFailure(failure);
  return failed ?? (firstByteNs === null ? 0 : 200);
}

function statusOfFailure(failure: Failure): number | undefined {
  if (failure.kind === 'status' || failure.kind === 'absent') return failure.status;
  // Our server answers with status 500 if a response is larger than the transport accepts.
  return failure.kind === 'too-large' && failure.what === 'message' ? 500 : undefined;
}

/** The reason phrases of our server's status codes (RFC 9110 §15). */
const STATUS_TEXTS: ReadonlyMap<number, string> = new Map([
  [200, 'OK'],
  [400, 'Bad Request'],
  [404, 'Not Found'],
  [500, 'Internal Server Error'],
]);

function resourceType(number: number, served: PageObject | undefined): string {
  if (number === 0) return 'document';
  const contentType = served?.contentType ?? '';
  if (contentType.startsWith('image/')) return 'image';
  return contentType === 'text/css' ? 'stylesheet' : 'other';
}

/** The number of bytes of an object's request and response that were sent, without retransmissions. */
export interface SentBytes {
  readonly request: number;
  readonly response: number;
}

/**
 * Returns a function from an object's number to its sent bytes. Headers and framing are included, but retransmissions
 * are not.
 */
export function sentBytes({data: {objects, packets, chunks, chunkPieces}}: Trace): (object: number) => SentBytes {
  const [up, down] = [new Float64Array(objects.length), new Float64Array(objects.length)];
  for (let piece = 0; piece < chunkPieces.row.length; piece++) {
    const chunk = chunkPieces.row[piece] ?? 0;
    if (chunks.retransmission[chunk] === 1) continue;
    const isDown = packets.direction[chunks.packet[chunk] ?? 0] === DIRECTION.down;
    const [object, sum] = [chunkPieces.object[piece] ?? 0, isDown ? down : up];
    sum[object] = (sum[object] ?? 0) + (chunkPieces.bytes[piece] ?? 0);
  }
  return object => ({request: up[object] ?? 0, response: down[object] ?? 0});
}

/**
 * Converts a time since the run's start into a date (ISO 8601, to the nanosecond). By convention, time 0 is the start
 * of the year 2000, because virtual time has no date.
 */
export function dateText(ns: number): string {
  const whole = Math.floor(ns);
  const seconds = Math.floor(whole / 1e9);
  const [day, hour, minute] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3600), Math.floor(seconds / 60)];
  const clock = [hour % 24, minute % 60, seconds % 60].map(each => digits(each, 2)).join(':');
  // The days stay within January, because `timeLimitMs` ends every run within ten days.
  return `2000-01-${digits(1 + day, 2)}T${clock}.${digits(whole % 1e9, 9)}Z`;
}

function digits(value: number, count: number): string {
  return String(value).padStart(count, '0');
}
