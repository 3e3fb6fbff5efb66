import {bytesOf, latin1} from '../base/bytes.ts';
import {type HeadField, lineBytes} from './filler.ts';
import {KnownBytes} from './knownBytes.ts';

/** The head of an HTTP/1.1 message (RFC 9112 §2.1): the start line and the fields. */
export interface Head {
  readonly startLine: string;
  /**
   * Maps the lower-case names of the fields to their values. Several values of one name are joined in order (RFC 9110
   * §5.3).
   */
  readonly fields: ReadonlyMap<string, string>;
  /** The text as it arrived, one character per byte, without the empty line at its end. */
  readonly text: string;
  /** Size of the head in bytes, including the empty line at its end. */
  readonly bytes: number;
}

/** Collects bytes until a head is complete. */
export class HeadReader {
  #text = '';
  #searched = 0;
  /** The parsed head and its text, if `#text` is one complete head that a single call appended. */
  #whole: ReadHead | undefined;

  /** The text that was appended and has been neither taken nor dropped, one character per byte. */
  get text(): string {
    return this.#text;
  }

  append(bytes: Uint8Array): void {
    this.#whole = undefined;
    this.#text += latin1(bytes);
  }

  /**
   * Appends bytes. If the reader is empty, it appends only the bytes up to the end of the first head. Returns the
   * number of bytes that were appended.
   */
  appendHead(bytes: Uint8Array): number {
    if (this.#text !== '') {
      this.append(bytes);
      return bytes.length;
    }
    const end = endOfHead(bytes);
    if (end === undefined) this.append(bytes);
    else {
      this.#whole = readHead(bytes.subarray(0, end));
      this.#text = this.#whole.text;
    }
    return end ?? bytes.length;
  }

  /**
   * Returns the first head and the number of bytes that were appended after it, and empties the reader. Returns
   * undefined, and removes nothing, if the head is incomplete.
   */
  take(): {readonly head: Head; readonly rest: number} | undefined {
    if (this.#whole !== undefined) {
      const {head} = this.#whole;
      this.drop(this.#text.length);
      return {head, rest: 0};
    }
    const end = this.#text.indexOf(END, Math.max(0, this.#searched - END.length));
    this.#searched = this.#text.length;
    if (end < 0) return undefined;
    const total = end + END.length;
    const head = parseHead(this.#text.slice(0, end), total);
    const rest = this.#text.length - total;
    this.drop(this.#text.length);
    return {head, rest};
  }

  /** Forgets the first `bytes` bytes. */
  drop(bytes: number): void {
    this.#whole = undefined;
    this.#text = this.#text.slice(bytes);
    this.#searched = 0;
  }
}

interface ReadHead {
  readonly head: Head;
  /** The text with the empty line at its end. */
  readonly text: string;
}

/** Parses a complete head. Parsed heads are cached, because most loads of a page repeat the same heads. */
function readHead(bytes: Uint8Array): ReadHead {
  const known = knownHeads.get(bytes);
  if (known !== undefined) return known;
  const text = latin1(bytes);
  const read = {head: parseHead(text.slice(0, -END.length), text.length), text};
  // a head with a secret is not cached
  if (!read.head.fields.has('authorization')) knownHeads.keep(bytes, read);
  return read;
}

const knownHeads = new KnownBytes<ReadHead>();

/** Encodes a head. */
export function encodeHead(startLine: string, fields: readonly HeadField[]): Uint8Array {
  return bytesOf([startLine, ...fields.map(field => field.join(': ')), '', ''].join('\r\n'));
}

/** Returns the number of bytes of a head. */
export function headBytes(startLine: string, fields: readonly HeadField[]): number {
  return fields.reduce((sum, field) => sum + lineBytes(field), startLine.length + 2 * '\r\n'.length);
}

/** Returns the Content-Length in bytes (RFC 9110 §8.6), or undefined if the field is missing or invalid. */
export function contentLength(head: Head): number | undefined {
  const value = head.fields.get('content-length');
  return value !== undefined && /^\d{1,12}$/.test(value) ? Number(value) : undefined;
}

/** Returns the offset at which the first head ends, or undefined if the head is incomplete. */
function endOfHead(bytes: Uint8Array): number | undefined {
  for (let at = bytes.indexOf(LF, 3); at >= 0; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at - 1] === CR && bytes[at - 2] === LF && bytes[at - 3] === CR) return at + 1;
  }
  return undefined;
}

function parseHead(text: string, bytes: number): Head {
  const [startLine = '', ...lines] = text.split('\r\n');
  const fields = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon <= 0) continue;
    const [name, value] = [line.slice(0, colon).toLowerCase(), trimmed(line.slice(colon + 1))];
    const before = fields.get(name);
    fields.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return {startLine, fields, text, bytes};
}

/** Removes spaces and tabs at both ends (RFC 9110 §5.5). `String.trim` would also remove other characters. */
function trimmed(value: string): string {
  let [from, to] = [0, value.length];
  while (isBlank(value[from])) from++;
  while (to > from && isBlank(value[to - 1])) to--;
  return value.slice(from, to);
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}

/**
 * Largest size in bytes of the head of a request or response in HTTP/1.1. The value is the default limit of Node's HTTP
 * parser.
 */
export const MOST_HEAD_BYTES = 16_384;

const [CR, LF] = [13, 10];
const END = '\r\n\r\n';
