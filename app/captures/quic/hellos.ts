import {latin1} from '../../base/bytes.ts';
import {Broken, ByteReader} from '../../run/packets/part.ts';
import {hex} from '../../run/packets/quicFrames.ts';

/** What a ClientHello says (RFC 8446 §4.1.2). */
export interface ClientHello {
  /** The random number by which key logs name the session, in hexadecimal. */
  readonly random: string;
  /** The name of the server (RFC 6066 §3). Undefined if the message has no valid name in plain text. */
  readonly serverName: string | undefined;
}

/** Reads the ClientHello at the beginning of a handshake. Undefined if there is none, or if it is incomplete. */
export function readClientHello(handshake: Uint8Array): ClientHello | undefined {
  return readMessage(handshake, CLIENT_HELLO, message => {
    message.take(2, 'legacy_version');
    const random = hex(message.take(32, 'random'));
    message.take(message.number(1, 'legacy_session_id length'), 'legacy_session_id');
    message.take(message.number(2, 'cipher_suites length'), 'cipher_suites');
    message.take(message.number(1, 'legacy_compression_methods length'), 'legacy_compression_methods');
    let serverName: string | undefined;
    for (const [type, content] of extensionsOf(message)) if (type === SERVER_NAME) serverName = nameIn(content);
    return {random, serverName};
  });
}

/** Whether a handshake begins like a ClientHello, whatever follows. */
export function beginsWithClientHello(handshake: Uint8Array): boolean {
  return handshake[0] === CLIENT_HELLO;
}

/** Returns the cipher suite that a ServerHello at the beginning of a handshake chooses (RFC 8446 §4.1.3). */
export function readCipherSuite(handshake: Uint8Array): number | undefined {
  return readMessage(handshake, SERVER_HELLO, message => {
    message.take(2 + 32, 'legacy_version and random');
    message.take(message.number(1, 'legacy_session_id_echo length'), 'legacy_session_id_echo');
    return message.number(2, 'cipher_suite');
  });
}

/**
 * Returns how many bidirectional streams the server grants the client (RFC 9000 §18.2), from the EncryptedExtensions at
 * the beginning of its Handshake data. Undefined if they are not known.
 */
export function readStreamLimit(handshake: Uint8Array): number | undefined {
  return readMessage(handshake, ENCRYPTED_EXTENSIONS, message => {
    const parameters = extensionsOf(message).find(([type]) => type === QUIC_TRANSPORT_PARAMETERS)?.[1];
    return parameters === undefined ? undefined : streamLimitIn(new ByteReader(parameters));
  });
}

/** Like {@link readStreamLimit}, for the messages that this program's loads have in place of TLS (`crypto.rs`). */
export function readPlainStreamLimit(handshake: Uint8Array): number | undefined {
  return readMessage(handshake, ENCRYPTED_EXTENSIONS, message => {
    message.take(1, 'how the connection begins');
    return streamLimitIn(new ByteReader(message.take(message.number(2, 'length'), 'transport parameters')));
  });
}

function streamLimitIn(parameters: ByteReader): number {
  while (parameters.left > 0) {
    const id = parameters.varint('parameter ID');
    const value = parameters.take(parameters.varint('parameter length'), 'parameter');
    if (id === INITIAL_MAX_STREAMS_BIDI) return new ByteReader(value).varint('initial_max_streams_bidi');
  }
  return 0;
}

function readMessage<T>(handshake: Uint8Array, type: number, read: (message: ByteReader) => T): T | undefined {
  const bytes = new ByteReader(handshake);
  try {
    if (bytes.number(1, 'msg_type') !== type) return undefined;
    return read(new ByteReader(bytes.take(bytes.number(3, 'length'), 'message')));
  } catch (error) {
    if (error instanceof Broken) return undefined;
    throw error;
  }
}

function extensionsOf(message: ByteReader): readonly (readonly [type: number, content: Uint8Array])[] {
  const extensions = new ByteReader(message.take(message.number(2, 'extensions length'), 'extensions'));
  const found: (readonly [number, Uint8Array])[] = [];
  while (extensions.left > 0) {
    const type = extensions.number(2, 'extension_type');
    found.push([type, extensions.take(extensions.number(2, 'extension length'), 'extension')]);
  }
  return found;
}

function nameIn(content: Uint8Array): string | undefined {
  const list = new ByteReader(content);
  list.take(2, 'server_name_list length');
  if (list.number(1, 'name_type') !== 0) return undefined;
  const name = latin1(list.take(list.number(2, 'HostName length'), 'HostName'));
  return /^[\w.-]{1,255}$/.test(name) ? name : undefined;
}

const CLIENT_HELLO = 1;
const SERVER_HELLO = 2;
const ENCRYPTED_EXTENSIONS = 8;
/** RFC 9001 §8.2. */
const QUIC_TRANSPORT_PARAMETERS = 0x39;
const INITIAL_MAX_STREAMS_BIDI = 0x08;
const SERVER_NAME = 0;
