import type {Congestion, ServerCongestion} from './congestion.ts';
import type {Ecn} from './ecn.ts';
/** The two endpoints of a connection, as their numbers on the network. */
export interface Connection {
  readonly client: number;
  readonly server: number;
  /**
   * Whether the connection is opened only if another one is not established in time. The trace leaves it out if it was
   * never opened.
   */
  readonly isSpare?: true;
}

/**
 * An additional path, between the server and a host that terminates the client's transport. Such a host is the adapter
 * of the paper C03, which fetches the page for the client. The path has the same properties in both directions.
 */
export interface StagePath {
  readonly rateBps: number;
  readonly rttMs: number;
  /** Loss rate in each direction, 0–1. */
  readonly loss: number;
}

/** Bytes to write. All of them belong to `object`, or to no object if it is null. */
export interface Piece {
  readonly bytes: Uint8Array;
  readonly object: number | null;
}

/** Bytes to write on one of several streams. */
export interface StreamPiece extends Piece {
  readonly stream: number;
  /** Whether this is the last piece of the stream. */
  readonly isEnd: boolean;
}

/**
 * The functions of the network core that pipelines use. `native/addon/index.d.ts` has the full contract. All
 * connections of a network use the network's own path, unless their options name another path.
 */
export interface Transports {
  /** Adds a path and returns its number. */
  addPath(path: StagePath): number;
  openTcp(options: OpenTcp): Connection;
  openSctp(options: OpenSctp): Connection;
  openQuic(options: OpenQuic): Connection;
  /** Opens a datagram connection. It has no handshake. */
  openUdp(): Connection;
  /** Starts the client's handshake. */
  connect(endpoint: number): void;
  /**
   * For TCP and QUIC: writes the pieces and returns the number of bytes accepted, counted from the start of the first
   * piece. For QUIC, the call also opens the stream if it is a new stream of this endpoint.
   */
  write(endpoint: number, stream: number, pieces: readonly Piece[]): number;
  read(endpoint: number, stream: number): Uint8Array;
  /** For QUIC: writes pieces like `write`, but each piece names its stream. The pieces are written in order. */
  writeStreams(endpoint: number, pieces: readonly StreamPiece[]): number;
  /** For SCTP and UDP: accepts the whole message, or returns false. */
  send(endpoint: number, stream: number, bytes: Uint8Array, object: number | null): boolean;
  /**
   * For SCTP: resets the stream in both directions (RFC 6525). A `renewed` event follows when both directions are
   * reset, or when the peer has refused the reset.
   */
  renew(endpoint: number, stream: number): void;
  /** For SCTP and UDP: returns the size of the largest message that fits in one packet, and for SCTP in one chunk. */
  maxMessageInPacketBytes(endpoint: number): number;
}

/** The functions that TCP needs, with or without TLS above it. */
export type TcpTransports = Pick<Transports, 'openTcp' | 'connect' | 'write' | 'read'>;

export interface OpenTcp extends Ends<TcpEndOptions> {
  path?: number;
  /** The server's port, 80 by default. */
  port?: number;
}

export interface OpenSctp extends Ends<SctpEndOptions> {}

export interface OpenQuic extends Ends<QuicEndOptions> {}

interface Ends<O> {
  client: O;
  server: O;
  /** For TCP and SCTP: whether the handshake takes no time, false by default. */
  freeSetUp?: boolean;
  /** The number of the server's host, 0 by default. Each host has an address of its own. */
  host?: number;
}

export interface TcpEndOptions {
  profile: 'classic' | 'modern' | 'reno' | 'classic-quickack' | 'classic-iw10';
  /** The congestion control, if it is not that of the profile. */
  congestion?: Congestion;
  /** The use of ECN, off by default. */
  ecn?: Ecn;
  sendBufferBytes?: number;
  receiveBufferBytes?: number;
  /** How many unsent bytes the application wants to keep beyond the congestion window. See the event `room`. */
  aheadBytes?: number;
  /**
   * While the congestion window is larger than this, the application wants to keep `aheadBytes` or 1.8 windows of
   * unsent bytes, whichever is larger.
   */
  aheadGrowsFromBytes?: number;
  /**
   * Whether the last segment of each write is sent immediately while the window is open, so that later writes do not
   * fill this segment (`TCP_NODELAY`). The default is false.
   */
  writesApart?: boolean;
  /**
   * Whether the congestion window and the receive window begin so large that they do not limit a page load. A loss
   * still reduces the congestion window. The default is false.
   */
  unlimitedWindow?: boolean;
}

export interface SctpEndOptions {
  profile: 'classic' | 'modern';
  streams: number;
  scheduler?: 'round-robin' | 'first-come';
  /** Whether the association runs over DTLS over UDP (RFC 8261). Both ends must set the same value. */
  dtls?: boolean;
  /** For a client: whether it sends its first messages together with COOKIE ECHO (RFC 9260 §5.1). */
  dataWithCookieEcho?: boolean;
  /** Whether messages that span packets can interleave (RFC 8260). Both ends must set the same value. */
  idata?: boolean;
  /** If messages interleave: whether the pieces of a message are delivered as they arrive. The default is true. */
  partialDelivery?: boolean;
  /**
   * Whether the congestion window begins so large that it does not limit a page load. A loss still reduces it. The
   * default is false.
   */
  unlimitedWindow?: boolean;
  sendBufferBytes?: number;
  aheadBytes?: number;
}

export interface QuicEndOptions {
  profile: 'classic' | 'modern';
  /** The congestion control, if it is not that of the profile. */
  congestion?: Congestion | ServerCongestion;
  /** The use of ECN, off by default. */
  ecn?: Ecn;
  /** For a client: whether it resumes an earlier session, so that the server sends no certificate. */
  resumes?: boolean;
  /** For a client that resumes: whether it may write before the `connected` event (0-RTT). */
  earlyData?: boolean;
  /** For a server of `modern`: whether it compresses its certificate (RFC 8879). */
  compressesCertificate?: boolean;
  /** For a server of `modern`: whether it has no post-quantum key exchange. */
  lacksHybridShare?: boolean;
  /** Size of the largest UDP payload at first. By default it is that of the profile. */
  firstDatagramBytes?: number;
  /** Whether the end searches for larger datagrams. The default is true. */
  searchesMtu?: boolean;
  /** The initial window in packets. By default it is that of the profile. */
  firstWindowPackets?: number;
  /**
   * Whether the end immediately acknowledges only every tenth packet, from packet number 100 on, and four packets after
   * a gap. The default is false.
   */
  decimatesAcks?: boolean;
  /** The factor of the RTT's variation in a probe timeout. The default is 4 (RFC 9002 §6.2.1). */
  rttvarFactor?: number;
  /** The probe timeout before the RTT is known, ms. By default it is that of the profile. */
  firstTimeoutMs?: number;
  /** Whether each datagram is paced by itself. The default is false, which means bursts of ten datagrams. */
  pacesEach?: boolean;
  /** For a server: whether the client may change its address, as in a hand-over. */
  migration?: boolean;
  scheduler?: 'round-robin' | 'first-come';
  sendBufferBytes?: number;
  aheadBytes?: number;
}

/** An event that an application receives. */
export type TransportEvent =
  | {endpoint: number; type: 'connected'; streams: number}
  /** For the client of a TCP connection with TLS: the TCP connection is established, and `connected` will follow. */
  | {endpoint: number; type: 'established'}
  | {endpoint: number; type: 'readable'; stream: number}
  | {endpoint: number; type: 'message'; stream: number; bytes: Uint8Array}
  | {endpoint: number; type: 'renewed'; stream: number}
  | {endpoint: number; type: 'writable'}
  /** For an endpoint with `aheadBytes`: the application should now write `bytes` more bytes. */
  | {endpoint: number; type: 'room'; bytes: number}
  | {endpoint: number; type: 'peer-closed'}
  | {endpoint: number; type: 'closed'; reason: string}
  /** For QUIC: all bytes that the peer sends on this stream have arrived. */
  | {endpoint: number; type: 'finished'; stream: number}
  /** For QUIC: the peer no longer sends on the stream, no longer accepts data on it, or both (RFC 9000 §3.5). */
  | {endpoint: number; type: 'reset'; stream: number; code: number};
