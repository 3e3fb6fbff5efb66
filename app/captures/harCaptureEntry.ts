import {bytesOf} from '../base/bytes.ts';
import {isObject} from '../base/schema.ts';
import type {PipelineName} from '../pipelines/index.ts';
import type {CapturedField} from './capturedLoad.ts';

/**
 * An entry of an archive: a request and its response. Fields with `After` in their names are times in ns since
 * `startNs`.
 */
export interface HarEntry {
  /** The id of the page that the entry belongs to. Empty if the entry names no page. */
  readonly page: string;
  /** When the browser began with the request, in ns since 1970. */
  readonly startNs: bigint;
  readonly url: string;
  readonly method: string;
  readonly requestFields: readonly CapturedField[];
  readonly responseFields: readonly CapturedField[];
  /** Whether the browser sent some of the request, or took the response from its cache. */
  readonly isSent: boolean;
  readonly isHtml: boolean;
  readonly status: number | null;
  readonly pipeline: PipelineName;
  /** The archive's name for the connection. Null if it has none. */
  readonly connection: string | null;
  readonly stream: number;
  /** How long the set-up of the connection took, including TLS. Null if no connection was set up for this request. */
  readonly connectNs: number | null;
  /** How long TLS took, as a part of `connectNs`. Null if the archive does not state it. */
  readonly sslNs: number | null;
  /**
   * When the browser began to send the request. If it had to set up a connection first, this is the end of the set-up.
   */
  readonly requestAfterNs: number;
  readonly firstByteAfterNs: number | null;
  readonly completeAfterNs: number | null;
  readonly requestBytes: number;
  readonly headerBytes: number;
  readonly bodyBytes: number;
  readonly body: Uint8Array | null;
  readonly initiator: {readonly type: string; readonly url: string} | null;
  readonly priority: string | null;
}

/**
 * Reads an entry. Undefined if `value` is not an object, if its address is not one of HTTP or has more than
 * {@link LONGEST_URL} characters, or if it has no start time. In sums of times, missing times count as 0.
 */
export function harEntry(value: unknown): HarEntry | undefined {
  if (!isObject(value)) return undefined;
  const entry: Fields = value;
  const [request, response] = [fieldsOf(entry['request']), fieldsOf(entry['response'])];
  const url = textOf(request['url']);
  const startNs = dateNs(entry['startedDateTime']);
  if (!/^https?:\/\/[^/?#]/i.test(url) || url.length > LONGEST_URL || startNs === null) return undefined;
  const content = fieldsOf(response['content']);
  const status = numberOf(response['status']) || null;
  const connection = nameOf(entry['_connectionId']) ?? nameOf(entry['connection']);
  const isCached = isFromCache(entry, response);
  const times = timesOf(entry);
  const responseFields = headersOf(response['headers']);
  return {
    page: textOf(entry['pageref']),
    startNs,
    url,
    method: textOf(request['method']) || 'GET',
    requestFields: headersOf(request['headers']),
    responseFields,
    isSent: status !== null || connection !== null || isCached || times.firstNs > times.requestNs,
    isHtml: /^(text\/html|application\/xhtml\+xml)\b/i.test(textOf(content['mimeType'])),
    status,
    pipeline: versionOf(textOf(response['httpVersion']) || textOf(request['httpVersion'])),
    connection,
    stream: numberOf(entry['_stream']),
    connectNs: times.connectNs,
    sslNs: times.sslNs,
    requestAfterNs: times.requestNs,
    firstByteAfterNs: status === null ? null : times.firstNs,
    completeAfterNs: status === null || textOf(response['_error']) !== '' ? null : times.completeNs,
    requestBytes: numberOf(request['headersSize']) + numberOf(request['bodySize']),
    ...(isCached ? {headerBytes: 0, bodyBytes: 0} : sizesOf(response, content, responseFields)),
    body: bodyOf(content),
    initiator: initiatorOf(entry['_initiator']),
    priority: textOf(entry['_priority']) || null,
  };
}

/** Returns a date in ns since 1970. Null if the value is not a date (ISO 8601). */
export function dateNs(value: unknown): bigint | null {
  const [, year, month, day, hour, minute, second, fraction = '', sign, hours, minutes] =
    DATE.exec(textOf(value)) ?? [];
  if (year === undefined) return null;
  const days = daysBefore(Number(year), Number(month)) + Number(day) - 1;
  const zone = (sign === '-' ? -1 : 1) * (60 * Number(hours ?? 0) + Number(minutes ?? 0));
  const seconds = 86_400 * days + 3600 * Number(hour) + 60 * (Number(minute) - zone) + Number(second);
  return BigInt(seconds) * 1_000_000_000n + BigInt(fraction.slice(0, 9).padEnd(9, '0'));
}

const DATE = /^(\d{4})-(0[1-9]|1[0-2])-([0-3]\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:Z|([+-])(\d\d):?(\d\d))$/;

/** Returns the number of days from the start of 1970 to the start of a month (1 to 12) in the Gregorian calendar. */
function daysBefore(year: number, month: number): number {
  // years begin in March here, so that a leap day is the last day of its year
  const [years, months] = month < 3 ? [year - 1, month + 9] : [year, month - 3];
  const leapDays = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400);
  return 365 * years + leapDays + Math.floor((153 * months + 2) / 5) - DAYS_TO_1970;
}

/** The days from 1 March of the year 0 to 1 January 1970. */
const DAYS_TO_1970 = 719_468;

/**
 * Converts a time from ms to ns. Null if the value is not a time. HAR 1.2 writes −1 for a time that is not known or
 * does not apply.
 */
export function harNs(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 && value <= LONGEST_MS ? Math.round(value * 1e6) : null;
}

function timesOf(entry: Fields) {
  const timings = fieldsOf(entry['timings']);
  const of = (name: string): number | null => harNs(timings[name]);
  const known = (name: string): number => of(name) ?? 0;
  const names = ['blocked', 'dns', 'connect', 'send', 'wait', 'receive'];
  const sumNs = names.reduce((sum, name) => sum + known(name), 0);
  const sslNs = of('ssl');
  // In HAR 1.2, `connect` contains `ssl`. In Firefox's files it does not, and `time` is the sum of all parts and `ssl`.
  const timeNs = harNs(entry['time']) ?? sumNs;
  const isApart = Math.abs(timeNs - sumNs - (sslNs ?? 0)) < Math.abs(timeNs - sumNs);
  const connectNs = of('connect');
  const wholeNs = connectNs === null ? null : connectNs + (isApart ? (sslNs ?? 0) : 0);
  const requestNs = known('blocked') + known('dns') + (wholeNs ?? 0);
  const firstNs = requestNs + known('send') + known('wait');
  return {
    connectNs: wholeNs,
    sslNs: sslNs === null || wholeNs === null ? null : Math.min(sslNs, wholeNs),
    requestNs,
    firstNs,
    completeNs: firstNs + known('receive'),
  };
}

/**
 * Returns the sizes of a response's header and body as they were sent. If the version of HTTP compresses headers,
 * Chromium states only the sum of both. A body without a content coding then has the size of its content, and the rest
 * of the sum is the header. If the body has a content coding, the whole sum counts as the body.
 */
function sizesOf(response: Fields, content: Fields, fields: readonly CapturedField[]) {
  const [all, header, size] = [response['_transferSize'], response['headersSize'], content['size']].map(numberOf);
  const isCoded = fields.some(([name, value]) => name === 'content-encoding' && value !== 'identity');
  const compression = typeof content['compression'] === 'number' ? content['compression'] : 0;
  const [sum = 0, ownHeader = 0, decoded = 0] = [all, header, size];
  const told = response['bodySize'];
  const body = typeof told === 'number' && told >= 0 ? numberOf(told) : undefined;
  if (body !== undefined) return {bodyBytes: body, headerBytes: ownHeader > 0 ? ownHeader : Math.max(0, sum - body)};
  if (sum === 0) return {bodyBytes: Math.max(0, decoded - Math.max(0, compression)), headerBytes: ownHeader};
  const bodyBytes = ownHeader > 0 || isCoded ? Math.max(0, sum - ownHeader) : Math.min(decoded, sum);
  return {bodyBytes, headerBytes: sum - bodyBytes};
}

/** Whether the response came from the browser's cache. Chromium and Firefox note this in different places. */
function isFromCache(entry: Fields, response: Fields): boolean {
  return typeof entry['_fromCache'] === 'string' || response['_fromCache'] === true;
}

/**
 * Returns the body. Browsers save it without its content coding. Null if the archive does not have it, or if it is
 * damaged.
 */
function bodyOf({text, encoding}: Fields): Uint8Array | null {
  if (typeof text !== 'string') return null;
  if (encoding !== 'base64') return new TextEncoder().encode(text);
  try {
    return bytesOf(atob(text));
  } catch {
    return null;
  }
}

function initiatorOf(value: unknown): HarEntry['initiator'] {
  const {type, url, stack} = fieldsOf(value);
  if (textOf(type) === '') return null;
  return {type: textOf(type), url: textOf(url) || outermostOf(stack)};
}

/**
 * Returns the address of the script with the outermost call of a stack. The calls that started a timer or promise also
 * count (`parent`). Empty if the stack names no script.
 */
function outermostOf(stack: unknown): string {
  let [found, part] = ['', stack];
  for (let depth = 0; isObject(part) && depth < MOST_PARTS; depth++) {
    const {callFrames, parent}: Fields = part;
    const last: unknown = Array.isArray(callFrames) ? callFrames.at(-1) : undefined;
    found = textOf(fieldsOf(last)['url']) || found;
    part = parent;
  }
  return found;
}

function headersOf(value: unknown): readonly CapturedField[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, MOST_FIELDS).flatMap((field: unknown): readonly CapturedField[] => {
    const {name, value: content} = fieldsOf(field);
    return typeof name === 'string' && typeof content === 'string' ? [[name.toLowerCase(), content]] : [];
  });
}

/** Returns the pipeline of a version of HTTP. Browsers write it in several ways: `h2`, `HTTP/2`, `http/2.0`. */
function versionOf(version: string): PipelineName {
  if (/^(h2|http\/2(\.0)?)$/i.test(version)) return 'h2';
  return /^(h3|http\/3(\.0)?|quic|h3-\d+)$/i.test(version) ? 'h3' : 'tcp';
}

type Fields = {readonly [key: string]: unknown};

function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Returns the name of a connection. Null if there is none; Chromium writes 0 then. */
function nameOf(value: unknown): string | null {
  const name = typeof value === 'number' ? String(value) : textOf(value);
  return name === '' || name === '0' ? null : name.slice(0, LONGEST_NAME);
}

/** Returns a count or a size. 0 if the value is neither. HAR 1.2 writes −1 if a number is not known. */
function numberOf(value: unknown): number {
  return typeof value === 'number' && value >= 0 && value <= MOST_BYTES ? Math.round(value) : 0;
}

const LONGEST_URL = 100_000;
const LONGEST_NAME = 100;
const LONGEST_MS = 864e6;
const MOST_BYTES = 0xffff_ffff;
const MOST_FIELDS = 1000;
/** The most parts of an asynchronous stack that are searched. Chromium keeps at most 32. */
const MOST_PARTS = 64;

// Browsers and Node have this function (HTML) and this class (WHATWG Encoding), but app/ is compiled without the types
// of either.
declare const atob: (base64: string) => string;
declare const TextEncoder: new () => {encode(text: string): Uint8Array};
