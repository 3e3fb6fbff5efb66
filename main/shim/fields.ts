import type {IncomingMessage} from 'node:http';

type RawField = readonly [name: string, value: string];

/**
 * The fields that go on to the next hop (RFC 9110 §7.6.1): not those of the connection, nor those that it names; nor
 * what proxies alone are told (§11.7). What says how long a body is goes with it only where the connection does not
 * (RFC 9112 §6.3).
 */
export function endToEnd({rawHeaders, headers}: IncomingMessage): RawField[] {
  const named = (headers.connection ?? '').toLowerCase().split(/[\s,]+/);
  const dropped = new Set([...HOP_BY_HOP, ...named]);
  if (headers['transfer-encoding'] !== undefined) dropped.add('content-length');
  return pairs(rawHeaders).filter(([name]) => !dropped.has(name.toLowerCase()));
}

/** The trailers that go on (RFC 9110 §6.5.1): none that frame or route. */
export function endToEndTrailers({rawTrailers}: IncomingMessage): RawField[] {
  return pairs(rawTrailers).filter(([name]) => {
    return !HOP_BY_HOP.has(name.toLowerCase()) && !NO_TRAILER.has(name.toLowerCase());
  });
}

/** Chunked, and nothing else; undefined without any. Others are for whoever knows them (RFC 9112 §6.1). */
export function isChunked({headers}: IncomingMessage): boolean | undefined {
  const coding = headers['transfer-encoding'];
  return coding === undefined ? undefined : coding.trim().toLowerCase() === 'chunked';
}

/** What a hop adds (RFC 9110 §7.6.3). @throws RangeError where the message goes in circles */
export function via({headers, httpVersion}: IncomingMessage): string {
  const before = headers.via === undefined ? [] : [String(headers.via)];
  const hops = before.join().split(PSEUDONYM).length - 1;
  if (hops >= MOST_HOPS) throw new RangeError(`it came through ${hops} shims: it goes in circles`);
  return [...before, `${httpVersion} ${PSEUDONYM}`].join(', ');
}

function pairs(raw: readonly string[]): RawField[] {
  const fields: RawField[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) fields.push([raw[i] ?? '', raw[i + 1] ?? '']);
  return fields;
}

const HOP_BY_HOP: ReadonlySet<string> = new Set([
  ...['connection', 'proxy-connection', 'keep-alive', 'te', 'transfer-encoding', 'upgrade'],
  ...['proxy-authenticate', 'proxy-authentication-info', 'proxy-authorization'],
]);
/** RFC 9110 §6.5.1. */
const NO_TRAILER: ReadonlySet<string> = new Set([
  'content-length',
  'host',
  'trailer',
  'authorization',
  'via',
]);
const PSEUDONYM = 'interleave-shim';
/** Two to a pair of shims. */
const MOST_HOPS = 8;
