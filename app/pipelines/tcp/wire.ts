import type {Connection, TcpTransports} from '../../http/transports.ts';
import type {Wire} from '../../http/wire.ts';

/** Each response is one write, as in HTTP/1.1. */
export function tcpWire(
  network: TcpTransports,
  connections: readonly Connection[],
  requests: Wire['requests'],
  depth: number | null,
): Wire {
  return {
    connections,
    requests,
    ...(depth !== null && {depth}),
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
