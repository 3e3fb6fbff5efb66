import {bytesOf} from '../base/bytes.ts';
import {isObject} from '../base/schema.ts';
import type {PipelineName} from '../pipelines/index.ts';
import type {CapturedField} from './capturedLoad.ts';

/** An entry of an archive. Times with `After` are in ns since the start of the entry. */
export interface HarEntry {
  /** The id of the page that the entry belongs to. Empty if it names none. */
  readonly page: string;
  /** When the browser began with the request, in ns since 1970. */
  readonly startNs: bigint;
  readonly url: string;
  readonly method: string;
  readonly requestFields: readonly CapturedField[];
  readonly responseFields: readonly CapturedField[];
  /** Whether anything of the request left the browser, or its answer came from the browser's cache. */
  readonly isSent: boolean;
  readonly isHtml: boolean;
  readonly status: number | null;
  readonly pipeline: PipelineName;
  /** The archive's name for the connection. Null if it has none. */
  readonly connection: string | null;
  readonly stream: number;
  /** How long the set-up of the connection took, including TLS. Null if there was none. */
  readonly connectNs: number | null;
  /** How long TLS took. Null if it is not known apart. */
  readonly sslNs: number | null;
  /** When the set-up of the connection was over, if there was any, and the request was sent. */
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

/** Reads an entry. Undefined if it is not one, or if its request did not use HTTP. Times that are missing are 0. */
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

/** Returns a date in ns since 1970. Null if it is no date (ISO 8601). */
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

/** Returns the number of days from the start of 1970 to the start of a month, counted from 1, in the Gregorian calendar. */
function daysBefore(year: number, month: number): number {
  // years begin in March here, so that the day that leap years add is the last one of a year
  const [years, months] = month < 3 ? [year - 1, month + 9] : [year, month - 3];
  const leapDays = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400);
  return 365 * years + leapDays + Math.floor((153 * months + 2) / 5) - DAYS_TO_1970;
}

/** The days from 1 March of the year 0 to 1 January 1970. */
const DAYS_TO_1970 = 719_468;

/** Converts a time in ms to ns. Null if it is −1, which means that it is not known or does not apply, or no time. */
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
  // HAR 1.2 counts `ssl` as a part of `connect`. Firefox does not, so that all of its parts add up to the time.
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
 * Returns the sizes of a response as it was sent. Chromium gives their sum and not that of the body if the version of
 * HTTP compresses headers; a body without a content coding was then sent as it is.
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

/** Whether the browser had the response in its cache, as Chromium and Firefox note it. */
function isFromCache(entry: Fields, response: Fields): boolean {
  return typeof entry['_fromCache'] === 'string' || response['_fromCache'] === true;
}

/** Returns the content without its content coding, as browsers save it. Null if there is none or it is damaged. */
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

/** Returns the script of the outermost call of a stack, also through timers and promises. Empty if it names none. */
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

/** Returns a name of a connection. In Chromium's archives, 0 stands for none. */
function nameOf(value: unknown): string | null {
  const name = typeof value === 'number' ? String(value) : textOf(value);
  return name === '' || name === '0' ? null : name.slice(0, LONGEST_NAME);
}

/** Returns a count or a size. 0 if it is −1, which means that it is not known, or no such number. */
function numberOf(value: unknown): number {
  return typeof value === 'number' && value >= 0 && value <= MOST_BYTES ? Math.round(value) : 0;
}

const LONGEST_URL = 100_000;
const LONGEST_NAME = 100;
const LONGEST_MS = 864e6;
const MOST_BYTES = 0xffff_ffff;
const MOST_FIELDS = 1000;
/** Chromium keeps at most 32 parts of an asynchronous stack. */
const MOST_PARTS = 64;

// Every host has this function (HTML) and this class (WHATWG Encoding), but app/ is compiled without the types of any.
declare const atob: (base64: string) => string;
declare const TextEncoder: new () => {encode(text: string): Uint8Array};
