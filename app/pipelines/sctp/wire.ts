import {AHEAD_BYTES} from '../../http/room.ts';
import type {Transports} from '../../http/transports.ts';
import type {Wire} from '../../http/wire.ts';
import type {SctpPane} from './sctp.ts';

/** Opens an association. Responses are messages of one packet each, or one message each. */
export function openSctp(network: Transports, pane: SctpPane, sendBufferBytes: number): Wire {
  const {profile, streams, serverStreams, idata, firstStreams} = pane;
  // The stack has two schedulers. The others are the server's.
  const isServers = pane.scheduler === 'weighted' || pane.scheduler === 'scan-aware';
  const scheduler = pane.scheduler === 'first-come' ? 'first-come' : 'round-robin';
  const isInterleaving = isServers || pane.server === 'interleaving';
  const ends = {profile, streams, scheduler, idata} as const;
  const {client, server} = network.openSctp({
    // Partial delivery would hide the tag, which only begins a message.
    client: {...ends, partialDelivery: !isInterleaving},
    server: {
      ...ends,
      streams: serverStreams ?? streams,
      sendBufferBytes,
      ...(isInterleaving && {aheadBytes: AHEAD_BYTES}),
    },
  });
  const packetBytes = network.maxMessageInPacketBytes(server);
  const pieceBytes = pane.fragmentation ? (pane.messageBytes ?? packetBytes) : Number.POSITIVE_INFINITY;
  // Short messages leave their packets unfilled and cause later ones to be cut: a tenth more packets, as measured.
  const endsWithTurn = pieceBytes > packetBytes;
  return {
    connections: [{client, server}],
    requests: pane.resetStreams ? 'when-renewed' : 'round-robin',
    ...(firstStreams !== null && {firstStreams}),
    renew: (endpoint, stream) => network.renew(endpoint, stream),
    framing: {
      mode: isInterleaving ? 'interleaving' : 'sequential',
      ...(isServers && {scheduler: pane.scheduler, endsWithTurn}),
      isTagged: isInterleaving,
      pieceBytes,
      largestPieceBytes: Math.min(sendBufferBytes, LARGEST_MESSAGE_BYTES),
    },
    send: (endpoint, stream, bytes, object) => (network.send(endpoint, stream, bytes, object) ? bytes.length : 0),
    receive: event => (event.type === 'message' ? {stream: event.stream, bytes: event.bytes} : undefined),
  };
}

/**
 * Half of an SCTP receive buffer here, because the peer must hold a whole message: `max_message_bytes` of the native
 * core.
 */
const LARGEST_MESSAGE_BYTES = 2 * 1024 * 1024;
