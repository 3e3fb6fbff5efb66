import type {Wire} from '../http/h1/h1Wire.ts';
import type {TlsStart} from '../http/tls/tlsHandshake.ts';
import type {Connection, TcpEndOptions, TcpTransports} from '../http/transports.ts';
import type {OpenOptions} from './pipeline.ts';
import {hasEarlyData, type VisitSettings} from './settingTexts.ts';

/**
 * Opens a TCP connection on the path between client and server. Both ends have the profile, the congestion control and
 * the use of ECN that `stack` states. `server` holds the other options of the server's end.
 */
export function openTcp(
  network: TcpTransports,
  stack: Pick<TcpEndOptions, 'profile' | 'congestion' | 'ecn'>,
  server: Omit<TcpEndOptions, 'profile' | 'congestion' | 'ecn'>,
): Connection {
  return network.openTcp({
    client: {...stack, receiveBufferBytes: LARGEST_BUFFER_BYTES},
    server: {...stack, ...server},
  });
}

/** Size of the client's receive buffer. It exceeds the size of any page that a scenario allows. */
const LARGEST_BUFFER_BYTES = 2 ** 28;

/**
 * Returns how the TLS sessions of a pane begin. With the profile `modern`, the messages have the sizes of today's
 * browsers and servers. A client that visits again is assumed to have a ticket for each connection. So is a client that
 * has connected before in this load, unless the model of the server says how many tickets it sends.
 */
export function tlsStart(
  pane: VisitSettings & {readonly profile: string; readonly certificateCompression: boolean},
  options: Pick<OpenOptions, 'hasSession' | 'server' | 'browser'>,
): TlsStart {
  const {ticketBytes = []} = options.server.tls ?? {};
  return {
    isModern: pane.profile === 'modern',
    resumes: pane.visit === 'again' || (options.hasSession === true && ticketBytes.length === 0),
    hasEarlyData: hasEarlyData(pane),
    compressesCertificate: pane.certificateCompression,
    lacksHybridShare: options.server.lacksHybridShare === true,
    server: options.server.tls,
    clientWritesApart: options.browser.rules?.writesFramesApart === true,
  };
}

/**
 * Returns the {@link Wire} of HTTP/1.1 over TCP: the connections, and the functions that write to them and read from
 * them. The servers answer one request after the other, and write each response as a single piece.
 */
export function tcpWire(
  network: TcpTransports,
  connections: readonly Connection[],
  requests: Wire['requests'],
  {pipelineDepth, backupMs}: {readonly pipelineDepth: number | null; readonly backupMs?: number | null | undefined},
): Wire {
  return {
    connections,
    requests,
    ...(typeof backupMs === 'number' && {backupNs: backupMs * 1e6}),
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
