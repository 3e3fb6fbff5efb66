import {Unread} from '../buffers.ts';

/** Content types of records (RFC 8446 §5.1). */
export const CONTENT = {changeCipherSpec: 20, handshake: 22, applicationData: 23} as const;

export type ContentType = (typeof CONTENT)[keyof typeof CONTENT];

/** A complete record. */
export interface TlsRecord {
  readonly type: ContentType;
  readonly content: Uint8Array;
}

/** Thrown for bytes that are not a valid record. */
export class TlsError extends Error {
  override readonly name = 'TlsError';
}

/** A record from before the keys are known (RFC 8446 §5.1). */
export function plainRecord(type: ContentType, content: Uint8Array): Uint8Array {
  const record = new Uint8Array(HEADER_BYTES + content.length);
  record.set(header(type, content.length));
  record.set(content, HEADER_BYTES);
  return record;
}

/**
 * The bytes before and after the content of an encrypted record (RFC 8446 §5.2). The content's true type follows it,
 * and then 16 bytes of authentication tag, as in every cipher that browsers offer. Here they are zeros, and nothing is
 * encrypted.
 */
export function sealing(type: ContentType, contentBytes: number): readonly [Uint8Array, Uint8Array] {
  return [sealedHeader(contentBytes + 1 + TAG_BYTES), BEHIND[type]];
}

/** The same as one array, with the content. */
export function sealedRecord(type: ContentType, content: Uint8Array): Uint8Array {
  const [before, behind] = sealing(type, content.length);
  const record = new Uint8Array(before.length + content.length + behind.length);
  record.set(before);
  record.set(content, before.length);
  record.set(behind, before.length + content.length);
  return record;
}

/**
 * Bytes of content in an end's n-th data record, counted from 0. A record can be read only when it is complete. A
 * server therefore starts with records of one packet each and later writes larger ones: CloudFlare's patch for nginx
 * writes 40 of 1369 bytes, 40 of 4229, then 16 KB ('Optimizing TLS over TCP to reduce latency', 2016).
 * Differs: the patch starts again after a second of silence.
 */
export function recordContentBytes(record: number): number {
  if (record < 40) return 1369;
  return record < 80 ? 4229 : MOST_CONTENT_BYTES;
}

/**
 * Collects bytes until a record is complete, since no part of it can be read before. Records are valid until the next
 * bytes arrive.
 */
export class RecordReader {
  readonly #unread = new Unread();

  /** @throws TlsError if the bytes are not a record */
  push(bytes: Uint8Array): readonly TlsRecord[] {
    const all = this.#unread.with(bytes);
    let at = 0;
    const records: TlsRecord[] = [];
    for (let end = recordEnd(all, at); end <= all.length; end = recordEnd(all, at)) {
      records.push(opened(all, at, end));
      at = end;
    }
    this.#unread.keep(all, at);
    return records;
  }
}

/** Where the record at `at` ends. Infinity while its header has not arrived. */
function recordEnd(bytes: Uint8Array, at: number): number {
  if (bytes.length < at + HEADER_BYTES) return Number.POSITIVE_INFINITY;
  const [type, major, minor] = [bytes[at] ?? 0, bytes[at + 1] ?? 0, bytes[at + 2] ?? 0];
  const length = (bytes[at + 3] ?? 0) * 256 + (bytes[at + 4] ?? 0);
  if (!isContentType(type)) throw new TlsError(`a record of type ${type}`);
  if (major !== 3 || minor !== 3) throw new TlsError(`a record of version ${major}.${minor}`);
  if (length > MOST_CONTENT_BYTES + 256) throw new TlsError(`a record of ${length} bytes`); // RFC 8446 §5.2
  return at + HEADER_BYTES + length;
}

function opened(bytes: Uint8Array, from: number, to: number): TlsRecord {
  const type = bytes[from] ?? 0;
  const first = from + HEADER_BYTES;
  if (isContentType(type) && type !== CONTENT.applicationData) return {type, content: bytes.subarray(first, to)};
  const at = to - 1 - TAG_BYTES;
  const inner = at < first ? 0 : (bytes[at] ?? 0);
  if (!isContentType(inner)) throw new TlsError(`a sealed record of ${to - first} bytes, type ${inner}`);
  return {type: inner, content: bytes.subarray(first, at)};
}

function isContentType(type: number): type is ContentType {
  return type === CONTENT.changeCipherSpec || type === CONTENT.handshake || type === CONTENT.applicationData;
}

function behind(type: ContentType): Uint8Array {
  const bytes = new Uint8Array(1 + TAG_BYTES);
  bytes[0] = type;
  return bytes;
}

/** Made once for each size, because most records have the same one. */
function sealedHeader(bytes: number): Uint8Array {
  let before = sealedHeaders.get(bytes);
  if (before === undefined) {
    before = header(CONTENT.applicationData, bytes);
    sealedHeaders.set(bytes, before);
  }
  return before;
}

/** By size. There are no more entries than record sizes. */
const sealedHeaders = new Map<number, Uint8Array>();

function header(type: ContentType, bytes: number): Uint8Array {
  // Every version names itself TLS 1.2 in this field (RFC 8446 §5.1).
  return Uint8Array.of(type, 3, 3, bytes >> 8, bytes & 0xff);
}

const HEADER_BYTES = 5;
const TAG_BYTES = 16;
const BEHIND: {readonly [type in ContentType]: Uint8Array} = {
  [CONTENT.changeCipherSpec]: behind(CONTENT.changeCipherSpec),
  [CONTENT.handshake]: behind(CONTENT.handshake),
  [CONTENT.applicationData]: behind(CONTENT.applicationData),
};
/** RFC 8446 §5.1. */
const MOST_CONTENT_BYTES = 2 ** 14;
