import {ByteReader, type Part, partOf} from './part.ts';
import {isContinued, remainder, type Slice, shareFields, type Unit, unitsIn} from './streamSlice.ts';

/**
 * Decodes the TLS handshake messages (RFC 8446 §4) that a packet carries, in TLS records on TCP or in CRYPTO frames in
 * QUIC.
 */
export function decodeHandshake(slice: Slice): readonly Part[] {
  const messages = readMessages(slice.stream);
  const parts = unitsIn(messages, slice).map((message): Part => {
    const [name, word] = HANDSHAKE_TYPES.get(message.type) ?? [`handshake message ${message.type}`, 'unknown'];
    const here = shareFields(message, slice);
    if (isContinued(message, slice)) return {name: `continues ${name}`, fields: here, parts: []};
    const type = {name: 'msg_type', text: `${message.type} (${word})`};
    const length = {name: 'length', text: `${message.to - message.from - HEADER_BYTES} B`};
    return {name, fields: [type, length, ...here], parts: []};
  });
  return [...parts, ...remainder(slice, messages.at(-1)?.to ?? 0, 'the beginning of a message')];
}

interface Message extends Unit {
  readonly type: number;
}

function readMessages(stream: Uint8Array): readonly Message[] {
  const messages: Message[] = [];
  const bytes = new ByteReader(stream);
  partOf('handshake', bytes, () => {
    while (bytes.left > 0) {
      const from = stream.length - bytes.left;
      const [type, length] = [bytes.number(1, 'msg_type'), bytes.number(3, 'length')];
      messages.push({type, from, to: from + HEADER_BYTES + length});
      bytes.take(length, 'message');
    }
  });
  return messages;
}

/**
 * Handshake messages by their type (RFC 8446 §4, RFC 8879 §4). Each has the name that the text of the RFC uses, and its
 * name in the RFC's enumeration HandshakeType.
 */
export const HANDSHAKE_TYPES: ReadonlyMap<number, readonly [string, string]> = new Map([
  [1, ['ClientHello', 'client_hello']],
  [2, ['ServerHello', 'server_hello']],
  [4, ['NewSessionTicket', 'new_session_ticket']],
  [5, ['EndOfEarlyData', 'end_of_early_data']],
  [8, ['EncryptedExtensions', 'encrypted_extensions']],
  [11, ['Certificate', 'certificate']],
  [13, ['CertificateRequest', 'certificate_request']],
  [15, ['CertificateVerify', 'certificate_verify']],
  [25, ['CompressedCertificate', 'compressed_certificate']],
  [20, ['Finished', 'finished']],
  [24, ['KeyUpdate', 'key_update']],
]);
const HEADER_BYTES = 4;
