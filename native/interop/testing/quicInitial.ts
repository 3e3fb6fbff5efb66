// Forges QUIC's Initial, Retry and Version Negotiation packets. Anyone who sees a client's first packet can do this,
// because the keys of Initial packets are derived from that packet (RFC 9001 §5.2).
import {createCipheriv, createDecipheriv, createHmac, type DecipherGCM} from 'node:crypto';

/** The end whose keys protect an Initial packet. */
export type Sender = 'client' | 'server';

/**
 * Returns the connection ids of a datagram that begins with a long header (RFC 8999 §5.1). Returns undefined for any
 * other datagram, and for a datagram that ends within the ids.
 */
export function idsOf(datagram: Uint8Array): {destination: Buffer; source: Buffer} | undefined {
  const bytes = Buffer.from(datagram);
  if (((bytes[0] ?? 0) & 0x80) === 0) return undefined;
  const sourceAt = IDS_AT + 1 + (bytes[IDS_AT] ?? 0);
  const end = sourceAt + 1 + (bytes[sourceAt] ?? 0);
  if (end > bytes.length) return undefined;
  return {destination: bytes.subarray(IDS_AT + 1, sourceAt), source: bytes.subarray(sourceAt + 1, end)};
}

/**
 * Replaces the frames in the first packet of a datagram. The packet must be protected with the keys of `sender`. `id`
 * is the client's first Destination Connection ID. Returns undefined if the first packet is not an Initial packet that
 * is protected with these keys, or if it is too short.
 */
export function withOtherFrames(
  datagram: Uint8Array,
  {id, sender}: {readonly id: Uint8Array; readonly sender: Sender},
  changed: (frames: Uint8Array) => Uint8Array,
): Uint8Array | undefined {
  const bytes = Buffer.from(datagram);
  const ids = idsOf(bytes);
  // The first packet must be an Initial packet of version 1 (RFC 9000 §17.2.2).
  if (ids === undefined || ((bytes[0] ?? 0) & 0xf0) !== 0xc0 || bytes.readUInt32BE(1) !== 1) return undefined;
  const token = varint(bytes, IDS_AT + 2 + ids.destination.length + ids.source.length);
  const length = varint(bytes, token.end + token.value);
  const rest = bytes.subarray(length.end + length.value);
  const keys = keysOf(id, sender);
  if (bytes.length < length.end + 4 + MASK_BYTES) return undefined;
  const mask = maskOf(keys.hp, bytes.subarray(length.end + 4));
  const first = (bytes[0] ?? 0) ^ ((mask[0] ?? 0) & 0x0f);
  const numberBytes = (first & 3) + 1;
  const number = unmasked(bytes.subarray(length.end, length.end + numberBytes), mask);
  const header = Buffer.concat([bytes.subarray(0, length.end), number]);
  header[0] = first;
  const nonce = nonceOf(keys.iv, number);
  const opening = createDecipheriv('aes-128-gcm', keys.key, nonce).setAAD(header);
  const sealed = bytes.subarray(length.end + numberBytes, length.end + length.value);
  opening.setAuthTag(sealed.subarray(-TAG_BYTES));
  const frames = opened(opening, sealed.subarray(0, -TAG_BYTES));
  if (frames === undefined) return undefined;
  // Without these four bytes of padding, an empty packet would be too short for header protection.
  const others = Buffer.concat([changed(frames).subarray(0, MOST_FRAME_BYTES), Buffer.alloc(4)]);
  const size = Buffer.alloc(2);
  size.writeUInt16BE(0x4000 | (numberBytes + others.length + TAG_BYTES));
  const plain = Buffer.concat([header.subarray(0, token.end + token.value), size, number]);
  const sealing = createCipheriv('aes-128-gcm', keys.key, nonce).setAAD(plain);
  const body = Buffer.concat([sealing.update(others), sealing.final(), sealing.getAuthTag()]);
  const otherMask = maskOf(keys.hp, body.subarray(4 - numberBytes));
  plain[0] = first ^ ((otherMask[0] ?? 0) & 0x0f);
  unmasked(number, otherMask).copy(plain, plain.length - numberBytes);
  return new Uint8Array(Buffer.concat([plain, body, rest]));
}

/** Forges a Retry for the client that sent `initial` (RFC 9000 §17.2.5). */
export function forgedRetry(initial: Uint8Array, source: Uint8Array, token: Uint8Array): Uint8Array {
  const ids = idsOf(initial);
  const [client = new Uint8Array(), first = new Uint8Array()] = [ids?.source, ids?.destination];
  const packet = longHeader(0xf0, 1, [client, source], token);
  const sealing = createCipheriv('aes-128-gcm', RETRY_KEY, RETRY_NONCE);
  sealing.setAAD(Buffer.concat([Uint8Array.of(first.length), first, packet])).final();
  return new Uint8Array(Buffer.concat([packet, sealing.getAuthTag()]));
}

/**
 * Forges a Version Negotiation for the client that sent `initial`. It offers only another version (RFC 9000 §17.2.1).
 */
export function forgedVersionNegotiation(initial: Uint8Array): Uint8Array {
  const ids = idsOf(initial);
  const pair = [ids?.source ?? new Uint8Array(), ids?.destination ?? new Uint8Array()];
  return new Uint8Array(longHeader(0xc0, 0, pair, Uint8Array.of(0x6b, 0x33, 0x43, 0xcf)));
}

function longHeader(first: number, version: number, ids: readonly Uint8Array[], rest: Uint8Array): Buffer {
  const start = Uint8Array.of(first, 0, 0, 0, version);
  return Buffer.concat([start, ...ids.flatMap(id => [Uint8Array.of(id.length), id]), rest]);
}

/** Decrypts a packet. Returns undefined if the packet was encrypted with another key, as after a Retry. */
function opened(opening: DecipherGCM, sealed: Uint8Array): Buffer | undefined {
  const frames = opening.update(sealed);
  try {
    return Buffer.concat([frames, opening.final()]);
  } catch {
    return undefined;
  }
}

/** Reads a variable-length integer of one, two or four bytes (RFC 9000 §16). */
function varint(bytes: Buffer, at: number): {value: number; end: number} {
  const size = 1 << ((bytes[at] ?? 0) >> 6);
  const value = bytes.readUIntBE(at, size) & ((1 << (8 * size - 2)) - 1);
  return {value, end: at + size};
}

/** Derives the keys of Initial packets (RFC 9001 §5.2). */
function keysOf(id: Uint8Array, sender: Sender): {key: Buffer; iv: Buffer; hp: Buffer} {
  const secret = expanded(hmac(INITIAL_SALT, id), `${sender} in`, 32);
  const [key, iv, hp] = [
    expanded(secret, 'quic key', 16),
    expanded(secret, 'quic iv', 12),
    expanded(secret, 'quic hp', 16),
  ];
  return {key, iv, hp};
}

/** Computes HKDF-Expand-Label (RFC 8446 §7.1) for at most one block. */
function expanded(secret: Uint8Array, label: string, bytes: number): Buffer {
  const name = Buffer.from(`tls13 ${label}`);
  const info = Buffer.concat([Uint8Array.of(0, bytes, name.length), name, Uint8Array.of(0, 1)]);
  return hmac(secret, info).subarray(0, bytes);
}

function hmac(key: Uint8Array, bytes: Uint8Array): Buffer {
  return createHmac('sha256', key).update(bytes).digest();
}

/**
 * Returns the mask of header protection (RFC 9001 §5.4.3). `from` begins with the sample, which starts four bytes after
 * the start of the packet number.
 */
function maskOf(hp: Buffer, from: Uint8Array): Buffer {
  return createCipheriv('aes-128-ecb', hp, null).update(from.subarray(0, MASK_BYTES));
}

function unmasked(number: Uint8Array, mask: Buffer): Buffer {
  return Buffer.from(number.map((byte, at) => byte ^ (mask[1 + at] ?? 0)));
}

function nonceOf(iv: Buffer, number: Buffer): Buffer {
  const nonce = Buffer.from(iv);
  for (const [at, byte] of number.entries()) {
    const place = nonce.length - number.length + at;
    nonce[place] = (nonce[place] ?? 0) ^ byte;
  }
  return nonce;
}

/** The connection ids follow the first byte and the version. */
const IDS_AT = 5;
const TAG_BYTES = 16;
/** The size of the sample for header protection. */
const MASK_BYTES = 16;
/** With at most this many bytes of frames, the length field needs only two bytes, and the packet fits in a datagram. */
const MOST_FRAME_BYTES = 1400;
/** The salt of Initial secrets (RFC 9001 §5.2). */
const INITIAL_SALT = Buffer.from('38762cf7f55934b34d179ae6a4c80cadccbb7f0a', 'hex');
/** The key and the nonce of the integrity tag of Retry packets (RFC 9001 §5.8). */
const RETRY_KEY = Buffer.from('be0c690b9f66575a1d766b54e368c84e', 'hex');
const RETRY_NONCE = Buffer.from('461599d35d632bf2239825bb', 'hex');
