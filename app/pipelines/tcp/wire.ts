import type {Connection, TcpEndOptions, TcpTransports} from '../../http/transports.ts';
import type {Wire} from '../../http/wire.ts';

/** One more connection on that network's path. */
export function openTcp(
  network: TcpTransports,
  profile: TcpEndOptions['profile'],
  sendBufferBytes: number,
): Connection {
  return network.openTcp({
    client: {profile, receiveBufferBytes: LARGEST_BUFFER_BYTES},
    server: {profile, sendBufferBytes},
  });
}

/** Responses in one write each, as HTTP/1.1 has it. */
export function tcpWire(
  network: TcpTransports,
  connections: readonly Connection[],
  requests: Wire['requests'],
): Wire {
  return {
    connections,
    requests,
    framing: {
      ...{mode: 'sequential', isTagged: false},
      ...{pieceBytes: Number.POSITIVE_INFINITY, largestPieceBytes: Number.POSITIVE_INFINITY},
    },
    send: (endpoint, stream, bytes, object) => network.write(endpoint, stream, bytes, object),
    receive: event =>
      event.type === 'readable'
        ? {stream: event.stream, bytes: network.read(event.endpoint, event.stream)}
        : undefined,
    hasRoom: () => true,
  };
}

/** Larger than any page that a scenario allows. */
const LARGEST_BUFFER_BYTES = 2 ** 28;
