import type {Datagram} from './flow.ts';
import {ByteReader, hexText, type Part, partOf} from './part.ts';
import {decodeSctp} from './sctpParts.ts';
import {HANDSHAKE_TYPES} from './tlsHandshakeParts.ts';

/**
 * Whether an end's datagrams belong to DTLS, which is the case if the first one begins with a plain handshake record
 * (RFC 9147 §4).
 */
export function isDtls(datagrams: readonly Datagram[]): boolean {
  const [type, ...version] = datagrams[0]?.bytes.subarray(UDP_HEADER_BYTES, UDP_HEADER_BYTES + 3) ?? [];
  return type === CONTENT.handshake && version.join() === VERSION.join();
}

/** Decodes the records of a UDP datagram (RFC 9147 §4), and the SCTP packets inside of them (RFC 8261). */
export function decodeDtls(datagram: Datagram | undefined): readonly Part[] {
  const bytes = new ByteReader(datagram?.bytes.subarray(UDP_HEADER_BYTES) ?? new Uint8Array(0));
  const parts: Part[] = [];
  while (bytes.left > 0) {
    const part = bytes.next === CONTENT.handshake ? decodePlain(bytes) : decodeSealed(bytes);
    parts.push(part);
    if (part.fault !== undefined) break;
  }
  return parts;
}

function decodePlain(bytes: ByteReader): Part {
  return partOf('DTLS record, handshake', bytes, (record, {fields, parts}) => {
    const add = (name: string, text: string | number): unknown => fields.push({name, text: String(text)});
    add('type', `${record.number(1, 'type')} (handshake)`);
    add('legacy_record_version', hexText(record.number(2, 'legacy_record_version'), 2));
    add('epoch', record.number(2, 'epoch'));
    record.take(6, 'sequence_number');
    const length = record.number(2, 'length');
    add('length', `${length} B`);
    parts.push(decodeFragment(new ByteReader(record.take(length, 'record'))));
  });
}

/** Decodes a record that real DTLS would encrypt. The real type and a tag follow its content. */
function decodeSealed(bytes: ByteReader): Part {
  const inner: Part[] = [];
  let name = 'DTLS record';
  const part = partOf(name, bytes, (record, {fields}) => {
    const add = (name: string, text: string | number): unknown => fields.push({name, text: String(text)});
    const first = record.number(1, 'unified header');
    add('unified header', hexText(first, 1));
    add('epoch', first & 3);
    add('sequence number', record.number(2, 'sequence number'));
    const length = record.number(2, 'length');
    add('length', `${length} B`);
    const content = new ByteReader(record.take(Math.max(length - 1 - TAG_BYTES, 0), 'content'));
    const type = record.number(1, 'type');
    record.take(TAG_BYTES, 'tag');
    add('inner type', `${type} (${TYPES.get(type) ?? 'unknown'})`);
    add('tag', `${TAG_BYTES} B`);
    name = `DTLS record, ${TYPES.get(type) ?? `type ${type}`}`;
    if (type === CONTENT.handshake) inner.push(decodeFragment(content));
    if (type === CONTENT.applicationData) inner.push(decodeSctp(content));
  });
  return {...part, name, parts: inner};
}

/** Decodes a message of the handshake, or a fragment of one (RFC 9147 §5.2). */
function decodeFragment(bytes: ByteReader): Part {
  const [type] = [bytes.next ?? 0];
  const [name, word] = HANDSHAKE_TYPES.get(type) ?? [`handshake message ${type}`, 'unknown'];
  return partOf(name, bytes, (fragment, {fields}) => {
    const add = (name: string, text: string | number): unknown => fields.push({name, text: String(text)});
    add('msg_type', `${fragment.number(1, 'msg_type')} (${word})`);
    const length = fragment.number(3, 'length');
    add('length', `${length} B`);
    add('message_seq', fragment.number(2, 'message_seq'));
    const [from, bytes] = [fragment.number(3, 'fragment_offset'), fragment.number(3, 'fragment_length')];
    if (bytes < length) add('here', `bytes ${from + 1} – ${from + bytes} of ${length}`);
    fragment.take(bytes, 'fragment');
  });
}

const CONTENT = {handshake: 22, applicationData: 23} as const;
/** The content types of records by their numbers (RFC 9147 §4). */
const TYPES: ReadonlyMap<number, string> = new Map([
  [21, 'alert'],
  [CONTENT.handshake, 'handshake'],
  [CONTENT.applicationData, 'application_data'],
  [26, 'ack'],
]);
const UDP_HEADER_BYTES = 8;
/** Size of the tag of AEAD_AES_128_GCM. It is all zeros here, because nothing is encrypted. */
const TAG_BYTES = 16;
/** The version that plain records have. */
const VERSION = [0xfe, 0xfd] as const;
