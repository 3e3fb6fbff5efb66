import type {Wire} from '../http/h1/h1Wire.ts';
import type {Connection, TcpEndOptions, TcpTransports} from '../http/transports.ts';

/** Opens a connection on the network's path. */
export function openTcp(
  network: TcpTransports,
  profile: TcpEndOptions['profile'],
  server: Omit<TcpEndOptions, 'profile'>,
): Connection {
  return network.openTcp({
    client: {profile, receiveBufferBytes: LARGEST_BUFFER_BYTES},
    server: {profile, ...server},
  });
}

/** Larger than any page that a scenario allows. */
const LARGEST_BUFFER_BYTES = 2 ** 28;

/** Each response is one write, as in HTTP/1.1. */
export function tcpWire(
  network: TcpTransports,
  connections: readonly Connection[],
  requests: Wire['requests'],
  pipelineDepth: number | null,
): Wire {
  return {
    connections,
    requests,
    ...(pipelineDepth !== null && {pipelineDepth}),
    framing: {
      mode: 'sequential',
      isTagged: false,
      pieceBytes: Number.POSITIVE_INFINITY,
      largestPieceBytes: Number.POSITIVE_INFINITY,
    },
    send: (endpoint, stream, bytes, object) => network.write(endpoint, stream, [{bytes, object}]),
    receive: event =>
      event.type === 'readable' ? {stream: event.stream, bytes: network.read(event.endpoint, event.stream)} : undefined,
  };
}
