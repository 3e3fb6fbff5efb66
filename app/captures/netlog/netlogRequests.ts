import {bytesOf} from '../../base/bytes.ts';
import type {CapturedField} from '../capturedLoad.ts';
import {MOST_BODY_BYTES} from '../httpRead.ts';
import {listOf, numberOf, textOf} from '../jsonFields.ts';
import {dependencyOf, fieldsOf, type NetlogEvent} from './netlogFile.ts';

/** One request of the browser. It need not have reached the network. */
export interface NetlogRequest {
  readonly url: string;
  readonly method: string;
  /** When the browser began with the request. */
  readonly startNs: number;
  /** Whether this is the request for a page itself. */
  readonly isMainFrame: boolean;
  /** The site of the page that made the request. Empty if the log does not say it. */
  readonly site: string;
  priority: string | null;
  /** The number of the job, an object of Chromium, that found a connection for the request. */
  job: number | undefined;
  /** The number of the QUIC session over which the request was sent. */
  session: number | undefined;
  /** When the browser sent the request. Undefined if it never did. */
  sentNs: number | undefined;
  requestFields: readonly CapturedField[];
  responseFields: readonly CapturedField[];
  status: number | null;
  headerNs: number | null;
  /** When the last part of the body was read. */
  readNs: number | null;
  /**
   * When the request was complete. Null if it failed, if no header of a response was read, or if the log ends before.
   */
  endNs: number | null;
  hasFailed: boolean;
  /** The parts of the body as they were received. */
  readonly received: {readonly atNs: number; readonly bytes: number}[];
  /** The parts of the body without their content coding. */
  readonly decoded: {readonly atNs: number; readonly bytes: number; readonly content: string | undefined}[];
}

/** Reads the requests from the events of URL_REQUEST objects, in order of time. A redirect begins another request. */
export function netlogRequests(events: readonly NetlogEvent[]): readonly NetlogRequest[] {
  const requests: NetlogRequest[] = [];
  const current = new Map<number, NetlogRequest>();
  const priorities = new Map<number, string>();
  for (const event of events) {
    if (event.sourceType !== 'URL_REQUEST') continue;
    const {name, phase, source, params} = event;
    const priority = PRIORITIES.get(textOf(params['priority']) ?? '');
    if (priority !== undefined) priorities.set(source, priority);
    if (name === 'URL_REQUEST_START_JOB' && phase === 'begin') {
      const request = begunRequest(event);
      if (request === undefined) current.delete(source);
      else {
        current.set(source, request);
        requests.push(request);
      }
    }
    const request = current.get(source);
    if (request === undefined) continue;
    // Later changes of the priority do not concern how the request was sent.
    if (request.sentNs === undefined) request.priority = priorities.get(source) ?? null;
    update(request, event);
  }
  return requests;
}

function begunRequest({params, atNs}: NetlogEvent): NetlogRequest | undefined {
  const url = textOf(params['url']) ?? '';
  if (!/^https?:/.test(url)) return undefined;
  const flags = numberOf(params['load_flags']) ?? 0;
  return {
    url: url.replace(/#.*$/s, ''),
    method: textOf(params['method']) ?? '',
    startNs: atNs,
    isMainFrame:
      params['request_type'] === 'main frame' || (params['request_type'] === undefined && (flags & MAIN_FRAME) !== 0),
    site: textOf(params['network_isolation_key']) ?? '',
    priority: null,
    job: undefined,
    session: undefined,
    sentNs: undefined,
    requestFields: [],
    responseFields: [],
    status: null,
    headerNs: null,
    readNs: null,
    endNs: null,
    hasFailed: false,
    received: [],
    decoded: [],
  };
}

function update(request: NetlogRequest, event: NetlogEvent): void {
  const {name, phase, atNs, params} = event;
  switch (name) {
    case 'HTTP_STREAM_REQUEST_BOUND_TO_JOB':
      request.job = dependencyOf(event);
      break;
    case 'HTTP_STREAM_REQUEST_BOUND_TO_QUIC_SESSION':
      request.session = dependencyOf(event);
      break;
    case 'HTTP_TRANSACTION_SEND_REQUEST':
      if (phase === 'begin') request.sentNs = atNs;
      break;
    case 'HTTP_TRANSACTION_SEND_REQUEST_HEADERS':
    case 'HTTP_TRANSACTION_HTTP2_SEND_REQUEST_HEADERS':
    case 'HTTP_TRANSACTION_QUIC_SEND_REQUEST_HEADERS':
      request.requestFields = fieldsOf(event).filter(([field]) => !field.startsWith(':'));
      break;
    case 'HTTP_TRANSACTION_READ_RESPONSE_HEADERS':
      request.responseFields = fieldsOf(event);
      request.status = statusOf(event);
      request.headerNs = atNs;
      break;
    case 'URL_REQUEST_JOB_BYTES_READ':
      request.received.push({atNs, bytes: numberOf(params['byte_count']) ?? 0});
      break;
    case 'URL_REQUEST_JOB_FILTERED_BYTES_READ':
      request.decoded.push({atNs, bytes: numberOf(params['byte_count']) ?? 0, content: textOf(params['bytes'])});
      break;
    case 'HTTP_TRANSACTION_READ_BODY':
      if (phase === 'end') request.readNs = atNs;
      break;
    case 'CANCELLED':
    case 'FAILED':
      request.hasFailed = true;
      break;
    case 'URL_REQUEST_REDIRECTED':
    case 'REQUEST_ALIVE':
      if (name === 'REQUEST_ALIVE' && phase !== 'end') break;
      if (params['net_error'] !== undefined && params['net_error'] !== 0) request.hasFailed = true;
      // An empty body is not read. The time of this event then counts.
      if (!request.hasFailed && request.headerNs !== null) request.endNs = request.readNs ?? atNs;
      break;
    default:
  }
}

function statusOf({params}: NetlogEvent): number | null {
  const [, status] = /^HTTP\/\S+ (\d{3})/.exec(textOf(listOf(params['headers'])[0]) ?? '') ?? [];
  return status === undefined ? null : Number(status);
}

/**
 * Returns the body without its content coding. Null if the log does not have all of the body, or if the body is larger
 * than {@link MOST_BODY_BYTES}.
 */
export function bodyOf({decoded}: NetlogRequest): Uint8Array | null {
  const size = decoded.reduce((sum, {bytes}) => sum + bytes, 0);
  if (size > MOST_BODY_BYTES || decoded.some(({content}) => content === undefined)) return null;
  const body = new Uint8Array(size);
  let at = 0;
  for (const {content, bytes} of decoded) {
    const part = fromBase64(content ?? '');
    if (part === undefined || part.length !== bytes) return null;
    body.set(part, at);
    at += bytes;
  }
  return body;
}

/** Decodes base64 (RFC 4648 §4). Undefined if the text is not valid. */
function fromBase64(text: string): Uint8Array | undefined {
  try {
    return bytesOf(atob(text));
  } catch {
    return undefined;
  }
}

// Browsers and Node have the function `atob` (HTML), but app/ is compiled without the types of either.
declare const atob: (base64: string) => string;

/**
 * The priorities of Chromium's network stack, and the words for them in DevTools and HAR files
 * (`WebURLRequest::ConvertToNetPriority`).
 */
const PRIORITIES: ReadonlyMap<string, string> = new Map([
  ['HIGHEST', 'VeryHigh'],
  ['MEDIUM', 'High'],
  ['LOW', 'Medium'],
  ['LOWEST', 'Low'],
  ['IDLE', 'VeryLow'],
]);
/** The flag `MAIN_FRAME_DEPRECATED` of logs without `request_type`. */
const MAIN_FRAME = 1 << 8;
