import {contentLength, type Head, HeadReader} from '../http/head.ts';
import type {CaptureCrypto, CapturedExchange, CapturedField} from './capturedLoad.ts';
import type {Heard} from './heard.ts';
import {BodyReader, decodedBody, type HttpRead, Owners, type Place} from './httpRead.ts';

/** Whether a client's bytes begin with a request of HTTP/1.0 or 1.1. */
export function isHttp1(bytes: Uint8Array): boolean {
  return REQUEST_LINE.test(lineAt(bytes, 0) ?? '');
}

/**
 * Reads the requests and responses of HTTP/1.1 (RFC 9112). Requests may be pipelined. Their responses come in the same
 * order.
 */
export function readHttp1(up: Heard, down: Heard, place: Place, crypto: CaptureCrypto): HttpRead {
  const [upOwners, downOwners] = [new Owners(), new Owners()];
  const exchanges: CapturedExchange[] = [];
  const requests = readRequests(up);
  let from = 0;
  for (const [number, request] of requests.entries()) {
    upOwners.add(request.from, request.to, number);
    const response = from < 0 ? undefined : readResponse(down, from, request.method);
    if (response !== undefined) downOwners.add(from, response.to, number);
    exchanges.push({
      connection: 0,
      stream: 0,
      method: request.method,
      url: addressOf(request, place),
      requestFields: fieldsOf(request.head),
      requestNs: up.sentNs(request.from),
      requestBytes: request.to - request.from,
      ...answered(response, down, crypto),
      initiator: null,
      priority: null,
    });
    from = response === undefined || !response.isWhole || response.isLast ? -1 : response.to;
  }
  return {exchanges, up: upOwners.list, down: downOwners.list, notes: []};
}

interface Request {
  readonly from: number;
  readonly to: number;
  readonly method: string;
  readonly target: string;
  readonly head: Head;
}

function readRequests(up: Heard): readonly Request[] {
  const requests: Request[] = [];
  for (let from = 0; from < up.bytes.length && requests.length < MOST_REQUESTS; ) {
    const head = headAt(up.bytes, from);
    const [, method, target] = REQUEST_LINE.exec(head?.startLine ?? '') ?? [];
    if (head === undefined || method === undefined || target === undefined) break;
    const begin = from + head.bytes;
    const body = isChunked(head)
      ? readChunks(up.bytes, begin, () => undefined)
      : {to: begin + (contentLength(head) ?? 0)};
    const to = Math.min(body.to, up.bytes.length);
    requests.push({from, to, method, target, head});
    from = Math.max(to, begin);
  }
  return requests;
}

interface Response {
  readonly head: Head;
  /** Offset at which the head ends. The heads of interim responses precede it. */
  readonly headEnd: number;
  readonly from: number;
  readonly to: number;
  readonly status: number;
  readonly body: BodyReader;
  readonly isWhole: boolean;
  /** When the end of the response could be read. Null if the capture does not show it. */
  readonly completeNs: number | null;
  /** Whether this is the last response of HTTP/1.1 on the connection. */
  readonly isLast: boolean;
}

/**
 * Reads a response and the interim responses before it (RFC 9110 §15.2). Undefined if one of their heads is incomplete
 * or damaged.
 */
function readResponse(down: Heard, from: number, method: string): Response | undefined {
  let head: Head | undefined;
  let status = 0;
  let headEnd = from;
  do {
    head = headAt(down.bytes, headEnd);
    status = Number(STATUS_LINE.exec(head?.startLine ?? '')?.[1] ?? 0);
    if (head === undefined || status === 0) return undefined;
    headEnd += head.bytes;
  } while (status < 200 && status !== SWITCHING);
  const body = new BodyReader(down);
  const answer = {head, headEnd, from, status, body};
  const hasNoBody = method === 'HEAD' || status === 204 || status === 304 || status < 200;
  if (hasNoBody) return {...answer, to: headEnd, ...wholeAt(headEnd), isLast: status < 200};
  if (isChunked(head)) {
    const {to, isWhole} = readChunks(down.bytes, headEnd, (from, to) => body.add(from, to));
    return {...answer, to, ...(isWhole ? wholeAt(to) : CUT), isLast: false};
  }
  const length = contentLength(head);
  const to = Math.min(headEnd + (length ?? Number.POSITIVE_INFINITY), down.bytes.length);
  body.add(headEnd, to);
  if (length !== undefined) return {...answer, to, ...(to === headEnd + length ? wholeAt(to) : CUT), isLast: false};
  // without a length, the end of the connection ends the body (RFC 9112 §6.3)
  const {endNs} = down;
  return {...answer, to, ...(endNs === undefined ? CUT : {isWhole: true, completeNs: endNs}), isLast: true};

  function wholeAt(end: number): Pick<Response, 'isWhole' | 'completeNs'> {
    return {isWhole: true, completeNs: down.readNs(end)};
  }
}

/** A response of which the capture does not have the end. */
const CUT = {isWhole: false, completeNs: null} as const;

type Answered = Pick<
  CapturedExchange,
  'responseFields' | 'firstByteNs' | 'completeNs' | 'status' | 'headerBytes' | 'bodyBytes' | 'body' | 'deliveries'
>;

function answered(response: Response | undefined, down: Heard, crypto: CaptureCrypto): Answered {
  if (response === undefined) return NOT_ANSWERED;
  const {head, headEnd, from, status, body, isWhole, completeNs} = response;
  const responseFields = fieldsOf(head);
  return {
    responseFields,
    firstByteNs: down.readNs(headEnd),
    completeNs,
    status,
    headerBytes: headEnd - from,
    bodyBytes: body.bytes,
    body: isWhole ? decodedBody(body.parts, responseFields, crypto) : null,
    deliveries: body.deliveries,
  };
}

/** What an exchange has if the capture does not show its response. */
export const NOT_ANSWERED: Answered = {
  responseFields: [],
  firstByteNs: null,
  completeNs: null,
  status: null,
  headerBytes: 0,
  bodyBytes: 0,
  body: null,
  deliveries: [],
};

/**
 * Reads a chunked body (RFC 9112 §7.1) and calls `add` with each range of its data. Returns the end of the body, or of
 * the bytes if the body is incomplete or damaged.
 */
function readChunks(
  bytes: Uint8Array,
  from: number,
  add: (from: number, to: number) => void,
): {readonly to: number; readonly isWhole: boolean} {
  for (let [at, chunks] = [from, 0]; ; chunks++) {
    const line = chunks < MOST_CHUNKS ? lineAt(bytes, at) : undefined;
    const size = /^([\da-fA-F]{1,8})\s*(?:;|$)/.exec(line ?? '')?.[1];
    if (line === undefined || size === undefined) return {to: bytes.length, isWhole: false};
    at += line.length + 2;
    const end = at + Number.parseInt(size, 16);
    if (end === at) return skipTrailers(bytes, at);
    add(at, Math.min(end, bytes.length));
    at = end + 2;
    if (at > bytes.length) return {to: bytes.length, isWhole: false};
  }
}

function skipTrailers(bytes: Uint8Array, from: number): {readonly to: number; readonly isWhole: boolean} {
  for (let at = from; ; ) {
    const line = lineAt(bytes, at);
    if (line === undefined) return {to: bytes.length, isWhole: false};
    at += line.length + 2;
    if (line === '') return {to: at, isWhole: true};
  }
}

/** Returns the line at an offset, without CRLF. Undefined if it is incomplete or too long. */
function lineAt(bytes: Uint8Array, at: number): string | undefined {
  let line = '';
  for (let i = at; i < Math.min(bytes.length, at + MOST_LINE_BYTES) - 1; i++) {
    if (bytes[i] === 13 && bytes[i + 1] === 10) return line;
    line += String.fromCharCode(bytes[i] ?? 0);
  }
  return undefined;
}

function headAt(bytes: Uint8Array, at: number): Head | undefined {
  const reader = new HeadReader();
  reader.appendHead(bytes.subarray(at, at + MOST_HEAD_BYTES));
  return reader.take()?.head;
}

function fieldsOf({fields}: Head): readonly CapturedField[] {
  return [...fields];
}

function isChunked({fields}: Head): boolean {
  return /(?:^|,)\s*chunked\s*$/i.test(fields.get('transfer-encoding') ?? '');
}

/** Returns the whole address of a request (RFC 9112 §3.3). */
function addressOf({target, head}: Request, {scheme, host}: Place): string {
  if (/^https?:\/\//i.test(target)) return target;
  return `${scheme}://${head.fields.get('host') ?? host}${target.startsWith('/') ? target : '/'}`;
}

const REQUEST_LINE = /^([A-Z]{1,20}) (\S+) HTTP\/1\.[01]$/;
const STATUS_LINE = /^HTTP\/1\.[01] ([1-9]\d\d)(?: |$)/;
const SWITCHING = 101;
const MOST_LINE_BYTES = 8192;
/** The largest head that is read. Servers limit heads to less. */
const MOST_HEAD_BYTES = 65_536;
/** The most chunks that are read of one body. */
const MOST_CHUNKS = 1_000_000;
/** The most requests that are read on one connection. */
const MOST_REQUESTS = 100_000;
