import type {IncomingMessage} from 'node:http';

type RawField = readonly [name: string, value: string];

/** How a receiver finds the end of a message's body (RFC 9112 §6.3). */
export type Framing = 'none' | 'length' | 'chunked';

/**
 * Returns the fields to forward to the next hop (RFC 9110 §7.6.1). Fields about the connection, fields that the
 * Connection field names and fields for proxies (§11.7) are left out. Fields that frame the body are also left out,
 * because each hop writes them itself (RFC 9112 §6.1).
 * @throws RangeError if the Connection field names a field that frames or routes the message
 */
export function endToEnd({rawHeaders, headers}: IncomingMessage): RawField[] {
  const named = (headers.connection ?? '').toLowerCase().split(/[\s,]+/);
  // The Connection field must not name a field that is intended for all recipients (RFC 9110 §7.6.1). If Content-Length
  // were left out, the next hop would read the body as another request.
  const wrong = named.find(name => NEVER_NAMED.has(name));
  if (wrong !== undefined) throw new RangeError(`a Connection field that names ${wrong}`);
  const dropped = new Set([...HOP_BY_HOP, ...named]);
  return pairs(rawHeaders).filter(([name]) => !dropped.has(name.toLowerCase()));
}

/** Returns the trailers to forward. They neither frame nor route the message (RFC 9110 §6.5.1). */
export function endToEndTrailers({rawTrailers}: IncomingMessage): RawField[] {
  return pairs(rawTrailers).filter(([name]) => {
    return !HOP_BY_HOP.has(name.toLowerCase()) && !NO_TRAILER.has(name.toLowerCase());
  });
}

/**
 * Returns how a receiver finds the end of the body. @throws RangeError if two receivers could find different ends, or
 * if the message is neither HTTP/1.0 nor HTTP/1.1
 */
export function framingOf({headers, httpVersion}: IncomingMessage): Framing {
  // Node also accepts the versions 0.9 and 2.0.
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    throw new RangeError(`the version HTTP/${httpVersion}, but only 1.0 and 1.1 are forwarded`);
  const coding = headers['transfer-encoding'];
  if (coding === undefined) return headers['content-length'] === undefined ? 'none' : 'length';
  // A receiver of HTTP/1.0 would read the body up to the end of the connection, so the message is invalid (RFC 9112
  // §6.1).
  if (httpVersion === '1.0') throw new RangeError('a transfer coding in HTTP/1.0');
  // Receivers need not support other codings.
  if (coding.trim().toLowerCase() !== 'chunked') throw new RangeError('a transfer coding other than chunked');
  return 'chunked';
}

export function hasTwoHosts({rawHeaders}: IncomingMessage): boolean {
  return pairs(rawHeaders).filter(([name]) => name.toLowerCase() === 'host').length > 1;
}

/**
 * Returns the Via field for the next hop (RFC 9110 §7.6.3). @throws RangeError if the message has passed
 * {@link MOST_HOPS} shims, because it is then probably forwarded in a loop
 */
export function via({headers, httpVersion}: IncomingMessage): string {
  const before = headers.via === undefined ? [] : [String(headers.via)];
  const hops = before.join().split(PSEUDONYM).length - 1;
  if (hops >= MOST_HOPS) throw new RangeError(`${hops} shims in its Via field, so it is forwarded in a loop`);
  return [...before, `${httpVersion} ${PSEUDONYM}`].join(', ');
}

function pairs(raw: readonly string[]): RawField[] {
  const fields: RawField[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) fields.push([raw[i] ?? '', raw[i + 1] ?? '']);
  return fields;
}

// The field Trailer is also dropped. Trailers can be forwarded without it, because a head need not announce them (RFC
// 9110 §6.6.2).
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'proxy-connection',
  'keep-alive',
  'te',
  'trailer',
  'upgrade',
  'content-length',
  'transfer-encoding',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
]);
/**
 * Fields that the Connection field must not name. They frame the message (RFC 9112 §6) or name its host (RFC 9112
 * §3.2).
 */
const NEVER_NAMED: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding', 'host']);
/** Fields that must not be trailers (RFC 9110 §6.5.1). */
const NO_TRAILER: ReadonlySet<string> = new Set(['host', 'authorization', 'via']);
const PSEUDONYM = 'interleave-shim';
/** How many shims a message may pass through. The near end and the far end of a shim count as two. */
const MOST_HOPS = 8;
