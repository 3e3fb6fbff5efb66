import {Unread} from '../buffers.ts';

/** The content types of records that occur here (RFC 8446 §5.1). Other types, such as alerts, are refused. */
export const CONTENT = {changeCipherSpec: 20, handshake: 22, applicationData: 23} as const;

export type ContentType = (typeof CONTENT)[keyof typeof CONTENT];

/** A complete record. */
export interface TlsRecord {
  readonly type: ContentType;
  readonly content: Uint8Array;
}

/** Thrown for bytes that are not a valid record, and for a record or message at a wrong point of the connection. */
export class TlsError extends Error {
  override readonly name = 'TlsError';
}

/** Encodes a record that is sent before the keys are known (RFC 8446 §5.1). */
export function plainRecord(type: ContentType, content: Uint8Array): Uint8Array {
  const record = new Uint8Array(HEADER_BYTES + content.length);
  record.set(header(type, content.length));
  record.set(content, HEADER_BYTES);
  return record;
}

/**
 * Returns the bytes before and after the content of an encrypted record (RFC 8446 §5.2). The bytes before it are the
 * header. The bytes after it are the content's type and the 16 bytes of an authentication tag, the size of which is the
 * same for all ciphers that browsers offer. Here the tag consists of zeros, and nothing is encrypted.
 */
export function sealing(type: ContentType, contentBytes: number): readonly [Uint8Array, Uint8Array] {
  return [sealedHeader(contentBytes + 1 + TAG_BYTES), BEHIND[type]];
}

/** Encodes an encrypted record with its content. See {@link sealing}. */
export function sealedRecord(type: ContentType, content: Uint8Array): Uint8Array {
  const [before, behind] = sealing(type, content.length);
  const record = new Uint8Array(before.length + content.length + behind.length);
  record.set(before);
  record.set(content, before.length);
  record.set(behind, before.length + content.length);
  return record;
}

/**
 * Returns the largest content of a data record in bytes, for an end whose records grow. `record` is the record's number
 * among those of its sender, from 0. A record can be read only when it is complete. Such an end therefore starts with a
 * record that fits in one packet. Each further record has one packet more than the one before, until records have 16
 * KB. These are the sizes of Go's TLS, with which Caddy writes (`maxPayloadSizeForWrite` of crypto/tls, which assumes
 * packets of 1208 bytes). With Cloudflare's patch for nginx, records grow in two steps instead ('Optimizing TLS over
 * TCP to reduce latency', 2016). nginx without this patch always fills 16 KB (`ssl_buffer_size`).
 */
export function recordContentBytes(record: number): number {
  return Math.min((record + 1) * PACKET_CONTENT_BYTES, MOST_CONTENT_BYTES);
}

/**
 * Splits bytes into records. Part of a record cannot be decrypted, so only complete records are returned. They are
 * valid until the next bytes arrive.
 */
export class RecordReader {
  readonly #unread = new Unread();

  /** Returns the records that these bytes complete. @throws TlsError if the bytes are not a valid record */
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

/** Returns the offset at which the record at `at` ends, or Infinity if its header is incomplete. */
function recordEnd(bytes: Uint8Array, at: number): number {
  if (bytes.length < at + HEADER_BYTES) return Number.POSITIVE_INFINITY;
  const [type, major, minor] = [bytes[at] ?? 0, bytes[at + 1] ?? 0, bytes[at + 2] ?? 0];
  const length = (bytes[at + 3] ?? 0) * 256 + (bytes[at + 4] ?? 0);
  if (!isContentType(type)) throw new TlsError(`record of unknown type ${type}`);
  if (major !== 3 || minor !== 3) throw new TlsError(`record of version ${major}.${minor} (must be 3.3)`);
  if (length > MOST_CONTENT_BYTES + 256)
    throw new TlsError(`record of ${length} bytes (at most ${MOST_CONTENT_BYTES + 256})`); // RFC 8446 §5.2
  return at + HEADER_BYTES + length;
}

function opened(bytes: Uint8Array, from: number, to: number): TlsRecord {
  const type = bytes[from] ?? 0;
  const first = from + HEADER_BYTES;
  if (isContentType(type) && type !== CONTENT.applicationData) return {type, content: bytes.subarray(first, to)};
  const at = to - 1 - TAG_BYTES;
  const inner = at < first ? 0 : (bytes[at] ?? 0);
  if (!isContentType(inner))
    throw new TlsError(`encrypted record of ${to - first} bytes with unknown content type ${inner}`);
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

/**
 * Returns the header of an encrypted record. It is made once for each size, because most records have the same size.
 */
function sealedHeader(bytes: number): Uint8Array {
  let before = sealedHeaders.get(bytes);
  if (before === undefined) {
    before = header(CONTENT.applicationData, bytes);
    sealedHeaders.set(bytes, before);
  }
  return before;
}

/** The headers by size. The number of entries is limited by the largest record size. */
const sealedHeaders = new Map<number, Uint8Array>();

function header(type: ContentType, bytes: number): Uint8Array {
  // The records of TLS 1.3 state the version of TLS 1.2, which is 3.3 (RFC 8446 §5.1).
  return Uint8Array.of(type, 3, 3, bytes >> 8, bytes & 0xff);
}

const HEADER_BYTES = 5;
const TAG_BYTES = 16;
/** The content of a record that fits into a packet of `tcpMSSEstimate` bytes (crypto/tls). */
const PACKET_CONTENT_BYTES = 1208 - HEADER_BYTES - 1 - TAG_BYTES;
const BEHIND: {readonly [type in ContentType]: Uint8Array} = {
  [CONTENT.changeCipherSpec]: behind(CONTENT.changeCipherSpec),
  [CONTENT.handshake]: behind(CONTENT.handshake),
  [CONTENT.applicationData]: behind(CONTENT.applicationData),
};
/** The largest content of a record (RFC 8446 §5.1). */
export const MOST_CONTENT_BYTES = 2 ** 14;
