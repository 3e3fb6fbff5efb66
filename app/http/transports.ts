/** The two endpoints of a connection, by their numbers on the network. */
export interface Connection {
  readonly client: number;
  readonly server: number;
}

/** The path beyond a host that terminates a transport, the same in both directions. */
export interface StagePath {
  readonly rateBps: number;
  readonly rttMs: number;
  /** Loss rate in each direction, 0–1. */
  readonly loss: number;
}

/** Bytes to write. All belong to this object, or to none. */
export interface Piece {
  readonly bytes: Uint8Array;
  readonly object: number | null;
}

/** Bytes to write on one of several streams. */
export interface StreamPiece extends Piece {
  readonly stream: number;
  /** Whether nothing follows on the stream. */
  readonly isEnd: boolean;
}

/**
 * The functions of the host's network that pipelines use. `native/addon/index.d.ts` has the full contract. All
 * connections of one network share its path, unless they name another.
 */
export interface Transports {
  /** Adds a path and returns its number. */
  addPath(path: StagePath): number;
  /** `port` is the server's port, 80 by default. */
  openTcp(options: {client: TcpEndOptions; server: TcpEndOptions; path?: number; port?: number}): Connection;
  openSctp(options: {client: SctpEndOptions; server: SctpEndOptions}): Connection;
  openQuic(options: {client: QuicEndOptions; server: QuicEndOptions}): Connection;
  /** Opens a datagram connection. It has no handshake. */
  openUdp(): Connection;
  /** Starts the client's handshake. */
  connect(endpoint: number): void;
  /**
   * For TCP and QUIC: returns how many bytes of the pieces were accepted, counted from the first. For QUIC, this opens
   * the stream if it is one of the endpoint's own.
   */
  write(endpoint: number, stream: number, pieces: readonly Piece[]): number;
  read(endpoint: number, stream: number): Uint8Array;
  /** For QUIC: like `write`, with each piece on its own stream, in order. */
  writeStreams(endpoint: number, pieces: readonly StreamPiece[]): number;
  /** For SCTP and UDP: accepts the whole message, or returns false. */
  send(endpoint: number, stream: number, bytes: Uint8Array, object: number | null): boolean;
  /** For SCTP: resets the stream in both directions (RFC 6525). A `renewed` event tells when it can be used again. */
  renew(endpoint: number, stream: number): void;
  /** For SCTP and UDP: the largest message that fits one chunk in one packet. */
  maxMessageInPacketBytes(endpoint: number): number;
}

/** The functions that TCP needs, with or without TLS above it. */
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
  /** Whether messages that span packets interleave (RFC 8260). Both ends must agree. */
  idata?: boolean;
  /** If messages interleave: whether they are delivered in pieces as these arrive. The default is true. */
  partialDelivery?: boolean;
  sendBufferBytes?: number;
  aheadBytes?: number;
}

export interface QuicEndOptions {
  profile: 'classic' | 'modern';
  /** For a client: it remembers the server and may write before the event `connected`. */
  zeroRtt?: boolean;
  scheduler?: 'round-robin' | 'first-come';
  sendBufferBytes?: number;
  aheadBytes?: number;
}

/** An event that an application receives. */
export type TransportEvent =
  | {endpoint: number; type: 'connected'; streams: number}
  | {endpoint: number; type: 'readable'; stream: number}
  | {endpoint: number; type: 'message'; stream: number; bytes: Uint8Array}
  | {endpoint: number; type: 'renewed'; stream: number}
  | {endpoint: number; type: 'writable'}
  /** For an endpoint with `aheadBytes`: once after a write, this many of them are free. */
  | {endpoint: number; type: 'room'; bytes: number}
  | {endpoint: number; type: 'peer-closed'}
  | {endpoint: number; type: 'closed'; reason: string}
  /** For QUIC: all bytes of the peer on this stream have arrived. */
  | {endpoint: number; type: 'finished'; stream: number}
  /** For QUIC: the peer reset the stream. */
  | {endpoint: number; type: 'reset'; stream: number; code: number};
