/** A request as a strict reader of RFC 9112 understands it. */
export interface Meant {
  readonly method: string;
  /** The request target, unchanged. */
  readonly target: string;
  readonly version: '1.0' | '1.1';
  readonly fields: readonly MeantField[];
  /** The content of the body, with one character per byte and without the framing of chunks. */
  readonly body: string;
  readonly trailers: readonly MeantField[];
  /** Whether the request has one Host field, or is HTTP/1.0 and has none. Other requests are invalid (§3.2). */
  readonly hasHost: boolean;
}

/** A field. The name is in lower case. */
export type MeantField = readonly [name: string, value: string];

/** The requests on a connection. */
export interface ReadRequests {
  readonly requests: readonly Meant[];
  /** The request after the last complete request, if its head is complete and its body is not. */
  readonly begun: Meant | undefined;
  /**
   * The kind of part that is invalid, such as 'a request line'. Nothing after it can be read. Undefined if everything
   * is valid so far.
   */
  readonly problem: string | undefined;
  /** Number of bytes after the last complete request. */
  readonly rest: number;
}

/**
 * Reads the requests of a connection strictly. It stops at the first invalid part, at an incomplete request, and after
 * a request that ends the connection.
 */
export function readRequests(text: string): ReadRequests {
  const requests: Meant[] = [];
  let at = 0;
  try {
    for (;;) {
      // Empty lines before a request are skipped (§2.2). They may have CR and LF in any order, because Node's parser
      // (llhttp) accepts this.
      let begins = at;
      while (text[begins] === '\r' || text[begins] === '\n') begins++;
      const read = readRequest(text, begins);
      if (read === undefined) break;
      if (read.end === undefined) return {requests, begun: read.request, problem: undefined, rest: text.length - at};
      requests.push(read.request);
      at = read.end;
      if (isLast(read.request)) break;
    }
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return {requests, begun: undefined, problem: error.message, rest: text.length - at};
  }
  return {requests, begun: undefined, problem: undefined, rest: text.length - at};
}

/**
 * The names of the fields that a proxy does not forward. They are the usual hop-by-hop fields, the fields that the
 * Connection field names (RFC 9110 §7.6.1), and Content-Length, because each hop frames the body itself.
 */
export function hopByHop(fields: readonly MeantField[]): ReadonlySet<string> {
  const named = valuesOf(fields, 'connection').flatMap(value => value.toLowerCase().split(/[\t ]*,[\t ]*/));
  return new Set([...named, ...HOP_BY_HOP]);
}

class Problem extends Error {}

/** Whether the connection ends after the request (RFC 9112 §9.3). */
function isLast({version, fields}: Meant): boolean {
  const options = valuesOf(fields, 'connection').join().toLowerCase();
  const says = (option: string): boolean => options.split(/[\t ]*,[\t ]*/).includes(option);
  return says('close') || (version === '1.0' && !says('keep-alive'));
}

/**
 * Reads one request. Undefined if the head is not complete. `end` is undefined if the body is not complete. @throws
 * Problem if the request is invalid
 */
function readRequest(text: string, from: number): {request: Meant; end: number | undefined} | undefined {
  const line = lineAt(text, from);
  if (line === undefined) return undefined;
  const [, method = '', target = '', version = ''] =
    /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+) ([\x21-\x7e\x80-\xff]+) HTTP\/(1\.[01])$/.exec(line.text) ?? [];
  if (method === '') throw new Problem('a request line');
  const head = readFields(text, line.end);
  if (head === undefined) return undefined;
  const {fields} = head;
  const hosts = valuesOf(fields, 'host').length;
  const hasHost = hosts === 1 || (hosts === 0 && version === '1.0');
  const body = readBody(text, head.end, version, fields);
  const {text: content, trailers, end} = body ?? {text: '', trailers: [], end: undefined};
  const is = version === '1.0' ? '1.0' : '1.1';
  return {request: {method, target, version: is, fields, body: content, trailers, hasHost}, end};
}

interface Body {
  readonly text: string;
  readonly trailers: readonly MeantField[];
  readonly end: number;
}

/** Reads a body (§6.3). */
function readBody(text: string, from: number, version: string, fields: readonly MeantField[]): Body | undefined {
  const [lengths, codings] = [valuesOf(fields, 'content-length'), valuesOf(fields, 'transfer-encoding')];
  if (codings.length > 0) {
    if (version === '1.0' || lengths.length > 0) throw new Problem('a coding where none is allowed');
    if (codings.join().toLowerCase() !== 'chunked') throw new Problem('a coding other than chunked');
    return readChunks(text, from);
  }
  const [length = '0', other] = lengths;
  if (other !== undefined || !/^\d{1,12}$/.test(length)) throw new Problem('Content-Length');
  const end = from + Number(length);
  return end > text.length ? undefined : {text: text.slice(from, end), trailers: [], end};
}

/** Reads chunks (§7.1). */
function readChunks(text: string, from: number): Body | undefined {
  let body = '';
  for (let at = from; ; ) {
    const line = lineAt(text, at);
    if (line === undefined) return undefined;
    const size = /^([0-9A-Fa-f]{1,8})(?:[\t ]*;[\t\x20-\x7e\x80-\xff]*)?$/.exec(line.text)?.[1];
    if (size === undefined) throw new Problem('a chunk’s size');
    const bytes = Number.parseInt(size, 16);
    if (bytes === 0) {
      const trailers = readFields(text, line.end);
      return trailers && {text: body, trailers: trailers.fields, end: trailers.end};
    }
    const end = line.end + bytes;
    if (end + 2 > text.length) return undefined;
    if (text.slice(end, end + 2) !== '\r\n') throw new Problem('a chunk’s end');
    body += text.slice(line.end, end);
    at = end + 2;
  }
}

/** Reads fields up to the empty line (§5). */
function readFields(text: string, from: number): {fields: MeantField[]; end: number} | undefined {
  const fields: MeantField[] = [];
  for (let at = from; ; ) {
    const line = lineAt(text, at);
    if (line === undefined) return undefined;
    if (line.text === '') return {fields, end: line.end};
    const [, name, value = ''] =
      /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[\t ]*([\t\x20-\x7e\x80-\xff]*)$/.exec(line.text) ?? [];
    if (name === undefined) throw new Problem('a field');
    fields.push([name.toLowerCase(), value.replace(/[\t ]+$/, '')]);
    at = line.end;
  }
}

/**
 * Reads a line without its line break. Undefined if there is no line break yet. @throws Problem if the line contains a
 * CR or LF that is not part of a line break
 */
function lineAt(text: string, from: number): {text: string; end: number} | undefined {
  const end = text.indexOf('\r\n', from);
  const line = text.slice(from, end < 0 ? text.length : end);
  // A CR at the end of the text may be the first half of a line break.
  if (/[\r\n]/.test(end < 0 ? line.replace(/\r$/, '') : line)) throw new Problem('a line’s end');
  return end < 0 ? undefined : {text: line, end: end + 2};
}

function valuesOf(fields: readonly MeantField[], wanted: string): string[] {
  return fields.flatMap(([name, value]) => (name === wanted ? [value] : []));
}

const HOP_BY_HOP = [
  'connection',
  'proxy-connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'content-length',
];
