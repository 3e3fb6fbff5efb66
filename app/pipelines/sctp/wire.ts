import {AHEAD_BYTES} from '../../http/room.ts';
import type {Transports} from '../../http/transports.ts';
import type {Wire} from '../../http/wire.ts';
import type {SctpPane} from './sctp.ts';

/** Responses as messages of one packet each, or as one message. */
export function openSctp(network: Transports, pane: SctpPane, sendBufferBytes: number): Wire {
  const {profile, streams, serverStreams, idata, firstStreams} = pane;
  // the stack knows two; what it does not know is the server's
  const isServers = pane.scheduler === 'weighted' || pane.scheduler === 'scan-aware';
  const scheduler = pane.scheduler === 'first-come' ? 'first-come' : 'round-robin';
  const isInterleaving = isServers || pane.server === 'interleaving';
  const ends = {profile, streams, scheduler, idata} as const;
  const {client, server} = network.openSctp({
    // a tag is at the beginning of its message only
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
  // messages short of their packets leave these short, and those behind are cut: measured, a tenth more packets
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

/** Half of an SCTP receive buffer here, as the peer must hold a message whole: the native core's `max_message_bytes`. */
const LARGEST_MESSAGE_BYTES = 2 * 1024 * 1024;
