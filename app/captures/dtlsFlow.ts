import {numberAt} from './numbers.ts';
import type {UdpDatagram} from './recordedPacket.ts';
import type {FlowPacket, SctpFlow} from './sctpFlow.ts';
import {readSctpChunks, type SctpChunk} from './sctpPacket.ts';

/** An association over DTLS over UDP (RFC 8261). */
export interface DtlsFlow extends SctpFlow {
  /** Whether some records are encrypted. Those of this program's own captures are not. */
  readonly isEncrypted: boolean;
}

/** Whether a datagram begins with a handshake message of DTLS (RFC 9147 §4). Every connection begins so. */
export function beginsDtls(datagram: Uint8Array): boolean {
  return datagram[0] === CONTENT.handshake && isPlain(datagram, 0);
}

/**
 * Reads the records of a flow's datagrams. In captures of this program, records are not encrypted: they have the SCTP
 * packet, the type of the content and a tag of zeros (`dtls/record.rs`).
 */
export function dtlsFlow(client: string, datagrams: readonly UdpDatagram[]): DtlsFlow {
  let isEncrypted = false;
  const packets = datagrams.map(({packet, direction, ecn, payload}): FlowPacket => {
    const chunks: SctpChunk[] = [];
    for (let at = 0; at < payload.length; ) {
      const record = readRecord(payload, at);
      if (record === undefined) break;
      chunks.push(...record.chunks);
      isEncrypted ||= record.isEncrypted;
      at = record.end;
    }
    return {recorded: packet, direction, ecn, chunks};
  });
  return {client, hasDtls: true, packets, isEncrypted};
}

interface DtlsRecord {
  readonly end: number;
  readonly chunks: readonly SctpChunk[];
  readonly isEncrypted: boolean;
}

/**
 * Reads the record at an offset. Undefined if the record is truncated, or if there is no DTLS record at this offset.
 */
function readRecord(datagram: Uint8Array, at: number): DtlsRecord | undefined {
  const first = datagram[at] ?? 0;
  if (isPlain(datagram, at)) {
    // in DTLS 1.2, encrypted records have this header, too; their epoch is not 0
    const isEncrypted = numberAt(datagram, at + 3, 2) > 0;
    const end = at + PLAIN_HEADER_BYTES + numberAt(datagram, at + PLAIN_HEADER_BYTES - 2, 2);
    return end > datagram.length ? undefined : {end, chunks: [{type: 'dtls'}], isEncrypted};
  }
  // other stacks may use other forms of the unified header; some have no length, so the rest of the datagram is not
  // read
  if ((first & UNIFIED_MASK) !== UNIFIED)
    return first >> 5 === 1 ? {end: datagram.length, chunks: [], isEncrypted: true} : undefined;
  const end = at + SEALED_HEADER_BYTES + numberAt(datagram, at + SEALED_HEADER_BYTES - 2, 2);
  const tagAt = end - TAG_BYTES;
  if (end > datagram.length || tagAt <= at + SEALED_HEADER_BYTES) return undefined;
  if (datagram.subarray(tagAt, end).some(byte => byte !== 0)) return {end, chunks: [], isEncrypted: true};
  const content = datagram.subarray(at + SEALED_HEADER_BYTES, tagAt - 1);
  const isData = datagram[tagAt - 1] === CONTENT.data;
  return {end, chunks: isData ? readSctpChunks(content, content.length) : [{type: 'dtls'}], isEncrypted: false};
}

/** Whether a record has the header of DTLS 1.2. The first records of DTLS 1.3 have this header as well. */
function isPlain(datagram: Uint8Array, at: number): boolean {
  const [type = 0, major = 0, minor = 0] = datagram.subarray(at, at + 3);
  return CONTENT.changeCipherSpec <= type && type <= CONTENT.ack && major === 0xfe && minor >= 0xfd;
}

const CONTENT = {changeCipherSpec: 20, handshake: 22, data: 23, ack: 26} as const;
const PLAIN_HEADER_BYTES = 13;
/**
 * A unified header with a 16-bit record number and a length: its first byte, the bits of this byte that are compared
 * (all but those of the epoch), and the size of the header.
 */
const [UNIFIED, UNIFIED_MASK, SEALED_HEADER_BYTES] = [0b0010_1100, 0b1111_1100, 5];
const TAG_BYTES = 16;
