import type {IncomingMessage} from 'node:http';

type RawField = readonly [name: string, value: string];

/** How the end of a message's body is found (RFC 9112 §6.3). */
export type Framing = 'none' | 'length' | 'chunked';

/**
 * Returns the fields that are passed on to the next hop (RFC 9110 §7.6.1). These are left out: fields about the
 * connection itself, fields that Connection names, fields for proxies only (§11.7), and fields that frame the body,
 * which each hop writes itself (RFC 9112 §6.1).
 * @throws RangeError if Connection names a field that frames or routes the message
 */
export function endToEnd({rawHeaders, headers}: IncomingMessage): RawField[] {
  const named = (headers.connection ?? '').toLowerCase().split(/[\s,]+/);
  // Connection must not name fields that are for all recipients (RFC 9110 §7.6.1). Without its length a body would be
  // read as the next request.
  const wrong = named.find(name => NEVER_NAMED.has(name));
  if (wrong !== undefined) throw new RangeError(`a Connection field that names ${wrong}`);
  const dropped = new Set([...HOP_BY_HOP, ...named]);
  return pairs(rawHeaders).filter(([name]) => !dropped.has(name.toLowerCase()));
}

/** Returns the trailers that are passed on (RFC 9110 §6.5.1): those that neither frame nor route the message. */
export function endToEndTrailers({rawTrailers}: IncomingMessage): RawField[] {
  return pairs(rawTrailers).filter(([name]) => {
    return !HOP_BY_HOP.has(name.toLowerCase()) && !NO_TRAILER.has(name.toLowerCase());
  });
}

/** Returns how the end of a message's body is found. @throws RangeError if two readers might disagree about that */
export function framingOf({headers, httpVersion}: IncomingMessage): Framing {
  // Node also accepts 0.9 and 2.0
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    throw new RangeError(`HTTP/${httpVersion}: only 1.0 and 1.1 are passed on`);
  const coding = headers['transfer-encoding'];
  if (coding === undefined) return headers['content-length'] === undefined ? 'none' : 'length';
  // a reader of HTTP/1.0 would read on to the connection's end, so this message is faulty (RFC 9112 §6.1)
  if (httpVersion === '1.0') throw new RangeError('a transfer coding in HTTP/1.0');
  // recipients need not know other codings
  if (coding.trim().toLowerCase() !== 'chunked') throw new RangeError('a transfer coding other than chunked');
  return 'chunked';
}

export function hasTwoHosts({rawHeaders}: IncomingMessage): boolean {
  return pairs(rawHeaders).filter(([name]) => name.toLowerCase() === 'host').length > 1;
}

/** The Via field for the next hop (RFC 9110 §7.6.3). @throws RangeError if the message is passed on in circles */
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

// a message may have trailers that its head does not announce (RFC 9110 §6.6.2)
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
/** Fields that frame a message (RFC 9112 §6), and the one that says which host it is for (RFC 9112 §3.2). */
const NEVER_NAMED: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding', 'host']);
/** Fields that may not be trailers (RFC 9110 §6.5.1). */
const NO_TRAILER: ReadonlySet<string> = new Set(['host', 'authorization', 'via']);
const PSEUDONYM = 'interleave-shim';
/** Most hops of a message. Each pair of shims adds two. */
const MOST_HOPS = 8;
