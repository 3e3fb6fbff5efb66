import {joinedBytes} from '../http/buffers.ts';
import type {CaptureCrypto, CapturedExchange, CapturedField} from './capturedLoad.ts';
import type {Heard, Owner} from './heard.ts';

/** The exchanges on one connection, and the exchanges to which the bytes of both ends belong. */
export interface HttpRead {
  /** In the order of the requests. They have connection 0. */
  readonly exchanges: readonly CapturedExchange[];
  readonly up: readonly Owner[];
  readonly down: readonly Owner[];
  readonly notes: readonly string[];
}

/** Parts of a request's address that the request itself may lack. */
export interface Place {
  readonly scheme: 'http' | 'https';
  /** The name in the TLS handshake, or the address of the server. */
  readonly host: string;
}

/** Collects the exchanges to which ranges of bytes belong. Ranges between them belong to no exchange. */
export class Owners {
  readonly list: Owner[] = [];

  /** Adds a range, which must not begin before the end of the last one. */
  add(from: number, to: number, exchange: number | null): void {
    if ((this.list.at(-1)?.end ?? 0) < from) this.list.push({end: from, exchange: null});
    if (to > from) this.list.push({end: to, exchange});
  }
}

/** The body of a response while it is read. */
export class BodyReader {
  readonly #heard: Heard;
  readonly #parts: Uint8Array[] = [];
  readonly #deliveries: {atNs: number; bytes: number}[] = [];
  #bytes = 0;

  constructor(heard: Heard) {
    this.#heard = heard;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get deliveries(): readonly {readonly atNs: number; readonly bytes: number}[] {
    return this.#deliveries;
  }

  /** Adds a range of the stream. */
  add(from: number, to: number): void {
    if (to <= from) return;
    this.#parts.push(this.#heard.bytes.subarray(from, to));
    for (const {end, atNs} of this.#heard.reads(from, to)) {
      const bytes = this.#bytes + end - from;
      const last = this.#deliveries.at(-1);
      if (last?.atNs === atNs) last.bytes = bytes;
      else this.#deliveries.push({atNs, bytes});
    }
    this.#bytes += to - from;
  }

  /** The ranges that were added. */
  get parts(): readonly Uint8Array[] {
    return this.#parts;
  }
}

/**
 * Joins the parts of a body as they were sent, and removes its content codings (RFC 9110 §8.4). Null if the body is
 * damaged or too large, if a coding is unknown, or if there are more than {@link MOST_CODINGS} codings.
 */
export function decodedBody(
  parts: readonly Uint8Array[],
  fields: readonly CapturedField[],
  crypto: CaptureCrypto,
): Uint8Array | null {
  const codings = fields
    .filter(([name]) => name === 'content-encoding')
    .flatMap(([, value]) => value.split(',').map(coding => coding.trim().toLowerCase()))
    .filter(coding => coding !== '' && coding !== 'identity');
  const bytes = parts.reduce((sum, {length}) => sum + length, 0);
  if (codings.length > MOST_CODINGS || bytes > MOST_BODY_BYTES) return null;
  const sent = joinedBytes(parts);
  // `joinedBytes` returns a single part without copying it. This part may be a view of the whole file, which it would
  // keep in memory.
  if (codings.length === 0) return parts.length === 1 ? new Uint8Array(sent) : sent;
  let body: Uint8Array | undefined = sent;
  for (const coding of codings.reverse()) body = body && crypto.decode(coding, body, MOST_BODY_BYTES);
  return body ?? null;
}

/** Returns the value of the first field with this name. */
export function fieldOf(fields: readonly CapturedField[], name: string): string | undefined {
  return fields.find(([each]) => each === name)?.[1];
}

const MOST_CODINGS = 4;
/** The largest body that is kept, 64 MiB. */
export const MOST_BODY_BYTES = 2 ** 26;
