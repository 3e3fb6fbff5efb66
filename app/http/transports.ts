/** Both ends of a transport, by their names on the network. */
export interface Connection {
  readonly client: number;
  readonly server: number;
}

/** The rest of the way behind a host that ends a transport half-way, the same both ways. */
export interface StagePath {
  readonly rateBps: number;
  readonly rttMs: number;
  /** Of each way, 0–1. */
  readonly loss: number;
}

/** Bytes to write, all of that object or of none. */
export interface Piece {
  readonly bytes: Uint8Array;
  readonly object: number | null;
}

/** Bytes to write on one of several streams. */
export interface StreamPiece extends Piece {
  readonly stream: number;
  /** Nothing follows on the stream. */
  readonly isEnd: boolean;
}

/**
 * What pipelines open and use of the host's network: `native/addon/index.d.ts` has the full contract. All that are
 * opened on one network share its path, unless they name another.
 */
export interface Transports {
  /** Gives its number. */
  addPath(path: StagePath): number;
  /** `port` is the server's, 80 by default. */
  openTcp(options: {client: TcpEndOptions; server: TcpEndOptions; path?: number; port?: number}): Connection;
  openSctp(options: {client: SctpEndOptions; server: SctpEndOptions}): Connection;
  openQuic(options: {client: QuicEndOptions; server: QuicEndOptions}): Connection;
  /** Datagrams: there is no handshake. */
  openUdp(): Connection;
  /** Starts the client's handshake. */
  connect(endpoint: number): void;
  /** TCP and QUIC: gives the number of bytes taken, of the first pieces. QUIC: opens a stream of one's own. */
  write(endpoint: number, stream: number, pieces: readonly Piece[]): number;
  read(endpoint: number, stream: number): Uint8Array;
  /** QUIC: as `write`, each piece on its stream, in their order. */
  writeStreams(endpoint: number, pieces: readonly StreamPiece[]): number;
  /** SCTP and UDP: takes the message whole, or gives false. */
  send(endpoint: number, stream: number, bytes: Uint8Array, object: number | null): boolean;
  /** SCTP: resets the stream both ways (RFC 6525); `renewed` tells when it is as new. */
  renew(endpoint: number, stream: number): void;
  /** SCTP and UDP: the largest message that travels as one chunk in one packet. */
  maxMessageInPacketBytes(endpoint: number): number;
}

/** What it takes for TCP, by itself or below TLS. */
export type TcpTransports = Pick<Transports, 'openTcp' | 'connect' | 'write' | 'read'>;

export interface TcpEndOptions {
  profile: 'classic' | 'modern' | 'reno' | 'classic-quickack' | 'classic-iw10';
  sendBufferBytes?: number;
  receiveBufferBytes?: number;
  aheadBytes?: number;
}

export interface SctpEndOptions {
  profile: 'classic' | 'modern';
  streams: number;
  scheduler?: 'round-robin' | 'first-come';
  /** Messages that span packets interleave, if both ends say so (RFC 8260). */
  idata?: boolean;
  /** Where they do, messages are told of in pieces, as these come; the default. */
  partialDelivery?: boolean;
  sendBufferBytes?: number;
  aheadBytes?: number;
}

export interface QuicEndOptions {
  profile: 'classic' | 'modern';
  /** Of the client: it remembers the server, and may write before it is told `connected`. */
  zeroRtt?: boolean;
  scheduler?: 'round-robin' | 'first-come';
  sendBufferBytes?: number;
  aheadBytes?: number;
}

/** What an application is told. */
export type TransportEvent =
  | {endpoint: number; type: 'connected'; streams: number}
  | {endpoint: number; type: 'readable'; stream: number}
  | {endpoint: number; type: 'message'; stream: number; bytes: Uint8Array}
  | {endpoint: number; type: 'renewed'; stream: number}
  | {endpoint: number; type: 'writable'}
  /** An end with `aheadBytes`, once after a write: of these, so many bytes are free. */
  | {endpoint: number; type: 'room'; bytes: number}
  | {endpoint: number; type: 'peer-closed'}
  | {endpoint: number; type: 'closed'; reason: string}
  /** QUIC: all bytes of the peer's on the stream have come. */
  | {endpoint: number; type: 'finished'; stream: number}
  /** QUIC: the peer gave the stream up. */
  | {endpoint: number; type: 'reset'; stream: number; code: number};
