import type {Pane} from '../scenario/pane.ts';
import type {Network, NetworkEvent} from './network.ts';

/** Client and server of one transport, with what differs between TCP and SCTP hidden. */
export interface Wire {
  readonly client: number;
  readonly server: number;
  /** A response's pieces: on TCP the rest in one write, on SCTP messages of one packet each, or one message. */
  readonly pieceBytes: number;
  /** A larger piece is never taken: on SCTP a message is sent whole. */
  readonly largestPieceBytes: number;
  /** Gives the number of bytes taken: on SCTP all or none. */
  send(endpoint: number, stream: number, bytes: Uint8Array): number;
  /** The bytes that an event brings; undefined if it brings none. */
  receive(event: NetworkEvent): {readonly stream: number; readonly bytes: Uint8Array} | undefined;
  /** The server should write now, as far as it wants to hold back. */
  hasRoom(): boolean;
}

/** Opens the pane's transport; the server's send buffer is as given, all others hold the whole transfer. */
export function openWire(network: Network, pane: Pane, sendBufferBytes: number): Wire {
  return pane.pipeline === 'tcp'
    ? openTcp(network, pane.profile, sendBufferBytes)
    : openSctp(network, pane, sendBufferBytes);
}

function openTcp(network: Network, profile: 'classic' | 'modern' | 'reno', sendBufferBytes: number): Wire {
  const {client, server} = network.openTcp({
    client: {profile, receiveBufferBytes: LARGEST_BUFFER_BYTES},
    server: {profile, sendBufferBytes},
  });
  return {
    client,
    server,
    pieceBytes: Number.POSITIVE_INFINITY,
    largestPieceBytes: Number.POSITIVE_INFINITY,
    send: (endpoint, _stream, bytes) => network.write(endpoint, 0, bytes),
    receive: event =>
      event.type === 'readable' ? {stream: 0, bytes: network.read(event.endpoint, event.stream)} : undefined,
    hasRoom: () => true,
  };
}

function openSctp(network: Network, pane: Extract<Pane, {pipeline: 'sctp'}>, sendBufferBytes: number): Wire {
  const {profile, streams, scheduler} = pane;
  const {client, server} = network.openSctp({
    client: {profile, streams, scheduler},
    server: {profile, streams, scheduler, sendBufferBytes},
  });
  return {
    client,
    server,
    pieceBytes: pane.fragmentation
      ? (pane.messageBytes ?? network.maxMessageInPacketBytes(server))
      : Number.POSITIVE_INFINITY,
    largestPieceBytes: Math.min(sendBufferBytes, LARGEST_MESSAGE_BYTES),
    send: (endpoint, stream, bytes) => (network.send(endpoint, stream, bytes) ? bytes.length : 0),
    receive: event => (event.type === 'message' ? {stream: event.stream, bytes: event.bytes} : undefined),
    // an interleaving server's threads write as the transport sends, little ahead of its cwnd: whatever is in the
    // send buffer can no longer be interleaved with a request that comes later
    hasRoom: () =>
      pane.server === 'sequential' || network.bufferedBytes(server) < network.cwndBytes(server) + READY_BYTES,
  };
}

/** Four packets: what a stack may send in one burst (RFC 9260 §6.1, Max.Burst). */
const READY_BYTES = 4 * 1500;

/** Half of an SCTP receive buffer here, as the peer must hold a message whole: the native core's `max_message_bytes`. */
const LARGEST_MESSAGE_BYTES = 2 * 1024 * 1024;

/** Larger than any page that a scenario allows. */
const LARGEST_BUFFER_BYTES = 2 ** 28;
