import {countText} from '../../base/text.ts';
import type {CaptureCrypto, SeenAt} from '../capturedLoad.ts';
import type {KeyLog} from '../keyLog.ts';
import type {ConnectionPart, UdpDatagram} from '../recordedPacket.ts';
import {acknowledgedPieces} from './acknowledgedPieces.ts';
import {
  beginsWithClientHello,
  readCipherSuite,
  readClientHello,
  readPlainStreamLimit,
  readStreamLimit,
} from './hellos.ts';
import {http3Exchanges} from './http3Exchanges.ts';
import {PlainOpener} from './plainOpener.ts';
import {QuicContents} from './quicContents.ts';
import {readQuicHeader, VERSION_1} from './quicHeader.ts';
import {QuicOpener} from './quicOpener.ts';
import {fatesOf, quicPackets} from './quicPackets.ts';

/**
 * Reads the datagrams of one QUIC connection, of version 1 or 2 (RFC 9000, RFC 9369), in the order in which they were
 * recorded. If the connection is encrypted and the key log lacks its secrets, the result has no exchanges, and a note
 * says so. This program's own captures are not encrypted. Times are those at which packets were recorded, except that
 * in a capture at the server a response arrives when its packets are acknowledged. If `seenAt` is `both`, packets were
 * recorded at their senders, so responses arrived later than the result says.
 */
export function readQuicConnection(
  datagrams: readonly UdpDatagram[],
  keys: KeyLog,
  crypto: CaptureCrypto,
  seenAt: SeenAt = 'client',
): ConnectionPart {
  const {contents, serverName, streams, problem} = openConnection(datagrams, keys, crypto);
  const fates = fatesOf(contents.datagrams);
  const isLost = (datagram: number) => fates[datagram]?.fate === 'lost';
  const sent = contents.sentBy('down', isLost);
  const down = seenAt === 'server' ? {...sent, pieces: acknowledgedPieces(contents.datagrams)} : sent;
  const {exchanges, notes} = http3Exchanges({up: contents.sentBy('up', isLost), down}, crypto);
  const byStream = new Map(exchanges.map(({stream}, index) => [stream, index]));
  const requested = /^[^:]+:\/\/[^/]+/.exec(exchanges[0]?.url ?? '')?.[0];
  const origin = requested ?? (serverName === undefined ? null : originOf(serverName, datagrams));
  const of = `the QUIC connection to ${origin ?? 'an unknown server'}`;
  return {
    connection: {origin, hasTls: true, ...contents.times(), tlsNs: null, streams},
    exchanges,
    packets: quicPackets(contents.datagrams, fates, stream => byStream.get(stream)),
    notes: [
      ...notes,
      ...(problem === undefined ? unopenedNote(contents, of) : [`${problem} ${of}, so its requests are not known.`]),
    ],
  };
}

interface Opened {
  readonly contents: QuicContents;
  readonly serverName: string | undefined;
  /** See `CapturedConnection.streams`. 0 if it is not known. */
  readonly streams: number;
  /** What is missing, as the beginning of a sentence. */
  readonly problem: string | undefined;
}

/**
 * Opens the packets of a connection. The Initial packets are opened twice: first to read the random number by which the
 * key log names the session, and then again with all other packets.
 */
function openConnection(datagrams: readonly UdpDatagram[], keys: KeyLog, crypto: CaptureCrypto): Opened {
  const begun = new QuicContents(datagrams, new QuicOpener(crypto));
  const hello = readClientHello(begun.handshakeOf('up', 'Initial'));
  if (hello === undefined) {
    const plain = new QuicContents(datagrams, new PlainOpener());
    if (beginsWithClientHello(plain.handshakeOf('up', 'Initial'))) {
      const streams = readPlainStreamLimit(plain.handshakeOf('down', 'Handshake')) ?? 0;
      return {contents: plain, serverName: undefined, streams, problem: undefined};
    }
    return {contents: begun, serverName: undefined, streams: 0, problem: 'The capture lacks the beginning of'};
  }
  const {serverName} = hello;
  const secrets = keys.get(hello.random);
  const suite = readCipherSuite(begun.handshakeOf('down', 'Initial'));
  const session = {secrets: secrets ?? new Map(), suite, version: agreedVersion(datagrams)};
  const contents = new QuicContents(datagrams, new QuicOpener(crypto, session));
  const problem = secrets === undefined ? 'No key log (--keys) has the secrets of' : undefined;
  const streams = readStreamLimit(contents.handshakeOf('down', 'Handshake')) ?? 0;
  return {contents, serverName, streams, problem};
}

/**
 * Returns the version in the server's last packet with a long header. After this packet, both ends use this version.
 */
function agreedVersion(datagrams: readonly UdpDatagram[]): number {
  let version = VERSION_1;
  for (const {direction, payload} of datagrams) {
    const header = direction === 'down' ? readQuicHeader(payload, 0) : undefined;
    if (header === undefined || header.type === '1-RTT' || header.type === 'Version Negotiation') continue;
    version = header.version;
  }
  return version;
}

function unopenedNote({unopened}: QuicContents, of: string): readonly string[] {
  if (unopened === 0) return [];
  const packets = unopened === 1 ? 'One packet' : `${countText(unopened)} packets`;
  return [`${packets.charAt(0).toUpperCase()}${packets.slice(1)} of ${of} could not be decrypted.`];
}

function originOf(serverName: string, datagrams: readonly UdpDatagram[]): string {
  const port = portOf(datagrams.find(({direction}) => direction === 'up'));
  return port === undefined || port === HTTPS_PORT ? `https://${serverName}` : `https://${serverName}:${port}`;
}

/** Returns the port to which a datagram was sent. The port is in the UDP header, before the payload. */
function portOf(datagram: UdpDatagram | undefined): number | undefined {
  if (datagram === undefined) return undefined;
  const {packet, payload} = datagram;
  const at = payload.byteOffset - packet.data.byteOffset - UDP_HEADER_BYTES + PORT_AT;
  const [high, low] = payload.buffer === packet.data.buffer && at >= 0 ? packet.data.subarray(at, at + 2) : [];
  return high === undefined || low === undefined ? undefined : high * 256 + low;
}

const HTTPS_PORT = 443;
const UDP_HEADER_BYTES = 8;
/** The offset of the destination port in the UDP header. */
const PORT_AT = 2;
