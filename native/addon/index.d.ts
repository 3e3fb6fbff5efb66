// The network core as the host sees it. Times are integer nanoseconds since the run's start, held in
// doubles: exact for 104 days. Every array is a copy that the caller owns.

import type {BlockedColumns, ChunkColumns, PacketColumns, SampleColumns} from '../../app/run/trace/columns.ts';

export type {BlockedColumns, ChunkColumns, PacketColumns, SampleColumns};

/** `down` is server → client. */
export type Direction = 'down' | 'up';

/**
 * Which packets draw a fate, default `all`. With `data`, only those that carry data do (TCP segments with
 * payload, SCTP packets with DATA chunks, UDP datagrams with payload), so that the k-th of a direction has the
 * same fate on every path of one seed; the others always pass the model and leave its state.
 */
export type LossApplies = 'all' | 'data';

/**
 * Where packets are lost, default `entry`: before the queue, as dummynet does it, so that what is lost takes neither room
 * nor rate. `exit`: behind the link, after both; what the queue drops draws no fate.
 */
export type LossAt = 'entry' | 'exit';

export type LossModel = (
  | {model: 'none'}
  | {model: 'bernoulli'; rate: number}
  /** Good → bad with probability p, bad → good with r; a packet passes with h in bad, k in good. */
  | {model: 'gilbert-elliott'; p: number; r: number; h: number; k: number}
  /** Exactly these packets of the direction, counted from 0 among those that draw. */
  | {model: 'list'; packets: number[]}
) & {applies?: LossApplies; at?: LossAt};

export interface LinkParams {
  /** 1–10^12. */
  rateBps: number;
  /** Propagation, 0–3.6·10^12. */
  delayNs: number;
  loss: LossModel;
  /** The packet in serialisation included. At least 1. */
  queuePackets: number;
  /** None by default. */
  queueBytes?: number;
}

export interface SimulationOptions {
  /** 0–2^53 − 1. */
  seed: number;
  /** mtuBytes: largest IP packet, 576–65535. */
  path: {down: LinkParams; up: LinkParams; mtuBytes: number};
  /** What is kept; all off by default. `bytes` needs `packets` and is what {@link Simulation.pcapng} writes. */
  record?: {packets?: boolean; samples?: boolean; bytes?: boolean};
  /**
   * The most that the run may take, at least 1 each; none by default. Packets are those handed to a path; steps are arrivals,
   * departures, timers, changes of the path, and calls of `advance` and `advanceInto`. A run that has come to a limit does
   * not go on: {@link Simulation.advanceInto} tells.
   */
  limits?: {packets: number; steps: number};
}

/** Both ends of a transport. */
export interface Endpoints {
  client: number;
  server: number;
}

export type TcpProfile =
  | 'classic'
  | 'modern'
  | 'reno'
  | 'classic-quickack'
  | 'classic-iw10'
  | 'reference-a'
  | 'reference-b'
  | 'reference-c'
  | 'reference-d';

export interface TcpOptions {
  profile: TcpProfile;
  /** 1024–2^30, default 4 MiB. */
  sendBufferBytes?: number;
  /** 1024–2^30, default 4 MiB. */
  receiveBufferBytes?: number;
  /** `writable` is told when the send buffer falls to this, default half of it. */
  lowWaterBytes?: number;
  /**
   * How far ahead of the congestion window the application keeps it, 1–2^30: it writes so much at first, and then as `room`
   * tells; without it, that is not told.
   */
  aheadBytes?: number;
}

export interface SctpOptions {
  /** `reference-freebsd` is for validation only. */
  profile: 'classic' | 'modern' | 'reference-freebsd';
  /** The client requests them in INIT, the server offers them in INIT ACK; min of both counts. 1–65535. */
  streams: number;
  /** Of this end as a sender. Default `round-robin`: per message, as FreeBSD's. `weighted` needs `weights`. */
  scheduler?: 'round-robin' | 'first-come' | 'weighted';
  /** Per stream, for `weighted`: 1–65535, 1 where missing. */
  weights?: number[];
  /**
   * Offers I-DATA (RFC 8260), off by default. Where both ends do, messages that span packets interleave by bytes in
   * proportion to `weights`.
   */
  idata?: boolean;
  /**
   * Of this end as a receiver, where messages interleave; default true: they are delivered in pieces, each told as a
   * message, as soon as these come in order (RFC 9260 §6.9). Otherwise whole.
   */
  partialDelivery?: boolean;
  /** 1024–2^30, default 4 MiB. */
  sendBufferBytes?: number;
  /** The window that it offers, 1024–2^30, default 4 MiB; messages that it sends are at most half as large. */
  receiveBufferBytes?: number;
  /** `writable` is told when the buffered amount falls to this, default half of the send buffer. */
  lowWaterBytes?: number;
  /**
   * How far ahead of the congestion window the application keeps it, 1–2^30: it writes so much at first, and then as `room`
   * tells; without it, that is not told.
   */
  aheadBytes?: number;
}

/** An end of a QUIC connection. Needs a path with an `mtuBytes` of at least 1228 (RFC 9000 §14: 1200 in a UDP datagram). */
export interface QuicOptions {
  profile: 'classic' | 'modern';
  /**
   * Of the client, default false: it remembers the server. It may write before `connected`, and what it writes travels
   * with its first packets, a round trip earlier; both ends then do without the certificate.
   */
  zeroRtt?: boolean;
  /**
   * Of this end as a sender, among streams of the same priority: packet by packet in turn (default), or one stream
   * after the other, in the order of their first bytes.
   */
  scheduler?: 'round-robin' | 'first-come';
  /** Of all streams together, not yet acknowledged. 1024–2^30, default 4 MiB. */
  sendBufferBytes?: number;
  /** `writable` is told when the send buffer falls to this, default half of it. */
  lowWaterBytes?: number;
  /**
   * How far ahead of the congestion window the application keeps it, 1–2^30: it writes so much at first, and then as `room`
   * tells; without it, that is not told.
   */
  aheadBytes?: number;
}

export type CloseReason =
  | 'finished'
  | 'local-abort'
  | 'peer-abort'
  | 'connect-timeout'
  | 'data-timeout'
  | 'protocol-violation';

/** What an application is told; all of one batch happen at {@link Simulation.nowNs}. */
export type AppEvent =
  /** QUIC: the bidirectional streams that the peer grants. SCTP: min of both counts. 1 for the others. */
  | {endpoint: number; type: 'connected'; streams: number}
  /** TCP and QUIC: {@link Simulation.read} gives bytes of the stream, 0 on TCP. */
  | {endpoint: number; type: 'readable'; stream: number}
  /** SCTP and UDP: a whole message; where messages interleave, a piece of one. */
  | {endpoint: number; type: 'message'; stream: number; bytes: Uint8Array}
  | {endpoint: number; type: 'writable'}
  /**
   * An end with `aheadBytes`: so many bytes should be written now, a third of the mark or more than by what was told
   * before. Writes count from then on.
   */
  | {endpoint: number; type: 'room'; bytes: number}
  | {endpoint: number; type: 'peer-closed'}
  | {endpoint: number; type: 'closed'; reason: CloseReason}
  /** SCTP: {@link Simulation.renew} is done, or cannot be. */
  | {endpoint: number; type: 'renewed'; stream: number}
  /** QUIC: the peer sends no more on the stream; everything it sent there has been told. Once a stream. */
  | {endpoint: number; type: 'finished'; stream: number}
  /** QUIC: the peer gave the stream up; the rest of its bytes will not come, and it takes none (RFC 9000 §2.4). */
  | {endpoint: number; type: 'reset'; stream: number; code: number};

/**
 * One run: a path, the transports on it, and what happened.
 *
 * Every method throws an Error whose `code` is `INVALID_ARGUMENT` (names the value and its limit),
 * `UNKNOWN_ENDPOINT`, `WRONG_TRANSPORT` (this transport has no such thing), `INVALID_STATE` or `FREED`. `INTERNAL` is a bug of ours, after which
 * the simulation is of no more use. A detached array is JavaScript's own TypeError.
 */
export class Simulation {
  /** As everywhere here, options may be given as their JSON too: a string crosses ten times faster. */
  constructor(options: SimulationOptions | string);
  readonly nowNs: number;
  /**
   * Another path beside the simulation's own, for the rest of the way of what ends half-way: with losses of its own, and
   * without changes. Gives its number, from 1; {@link Simulation.packets} has all of them.
   */
  addPath(path: SimulationOptions['path'] | string): number;
  /** Each `open` adds a transport; all of one path share it. `path` is 0, the simulation's own, by default. */
  /** `port` is the server's, 80 by default. QUIC's server is at 443. */
  openTcp(options: {client: TcpOptions; server: TcpOptions; path?: number; port?: number} | string): Endpoints;
  openSctp(options: {client: SctpOptions; server: SctpOptions; path?: number} | string): Endpoints;
  openUdp(): Endpoints;
  openQuic(options: {client: QuicOptions; server: QuicOptions; path?: number} | string): Endpoints;
  /** Starts the client's handshake. */
  connect(endpoint: number): void;
  /**
   * TCP and QUIC: takes what fits the send buffer; gives the number of bytes taken. `stream` is 0 on TCP. On QUIC it is a
   * stream's id (RFC 9000 §2.1, below 2^32): the first use of an id of one's own opens the stream, and those below it of
   * its kind; nothing is taken while the peer does not grant it.
   */
  write(endpoint: number, stream: number, bytes: Uint8Array): number;
  /**
   * QUIC: {@link write}, and {@link finish} where its stream ends, of part after part, for a caller that counts each
   * crossing. A part is three of `parts`: its stream, how many of `bytes` it has, behind the part before, and 1 where the
   * stream ends, else 0. Goes no further behind a part that is not taken whole; gives the number of bytes taken.
   */
  writeParts(endpoint: number, parts: Uint32Array, bytes: Uint8Array): number;
  /** TCP and QUIC: everything that can be read now. `stream` is 0 on TCP. */
  read(endpoint: number, stream: number): Uint8Array;
  /** QUIC: no more is written to the stream; the peer is told `finished` after its last byte. Opens it as a write does. */
  finish(endpoint: number, stream: number): void;
  /** QUIC: gives the stream up in both directions; the peer is told `reset`. `code` is below 2^32. */
  reset(endpoint: number, stream: number, code: number): void;
  /**
   * QUIC: a stream of a higher priority goes first, −512 to 511, 0 at first, from its next packet on. Opens the stream as
   * a write does.
   */
  setPriority(endpoint: number, stream: number, priority: number): void;
  /** SCTP and UDP: takes the message whole, or gives false when the send buffer has no room for it. At least a byte on SCTP. */
  send(endpoint: number, stream: number, bytes: Uint8Array): boolean;
  /**
   * SCTP: has both ends number the stream's messages from 0 again (stream reset, RFC 6525), once what was written
   * before is sent; either end's half by itself, the peer's in answer. `renewed` tells when both are done.
   */
  renew(endpoint: number, stream: number): void;
  /** Bytes written that have not been acknowledged (TCP, QUIC) or handed to the stack and acknowledged (SCTP). */
  bufferedBytes(endpoint: number): number;
  /** The congestion window now; 0 for UDP. */
  cwndBytes(endpoint: number): number;
  /** SCTP and UDP: the largest message that travels as one chunk in one packet. */
  maxMessageInPacketBytes(endpoint: number): number;
  /**
   * TCP: FIN after what is buffered. SCTP: graceful shutdown. QUIC: CONNECTION_CLOSE once what is buffered is acknowledged,
   * which ends the connection for both (RFC 9000 §10.2).
   */
  close(endpoint: number): void;
  abort(endpoint: number): void;
  /** Changes one direction at `atNs`, or now if that is past. */
  changeLink(atNs: number, direction: Direction, params: LinkParams): void;
  /**
   * Runs to the next instant at which an application is told something, or to `untilNs`, whichever comes
   * first. Empty: `untilNs` was reached or, without it, nothing is left to happen.
   */
  advance(untilNs?: number): AppEvent[];
  /**
   * As {@link advance} to `untilNs`, for a caller that counts each crossing: everything that can be read is read, and
   * all of it is written to memory of the caller's, in doubles of the machine: {@link nowNs}, the number of events,
   * the limit that the run has come to (0 none, 1 packets, 2 steps), then five for each event: its type (0 connected, 1 readable, 2 message, 3 writable, 4 peer-closed, 5 closed,
   * 6 finished, 7 reset, 8 renewed, 9 room), its endpoint, its streams, stream, bytes or reason (in the order of {@link CloseReason}, from 0), and
   * where in `into` its bytes begin and how many they are (of a reset, its code and 0). Gives the bytes that this takes; if they are more than `into` has, none of it
   * is written, and the next call gives it without going on.
   */
  advanceInto(untilNs: number, into: Uint8Array): number;
  packets(): PacketColumns;
  chunks(): ChunkColumns;
  samples(): SampleColumns;
  blocked(): BlockedColumns;
  /**
   * The recorded packets as a capture file with nanosecond times; those that did not arrive have a comment that says why.
   * `application` is what the file names as its writer.
   */
  pcapng(application?: string): Uint8Array;
  /** Releases the run's memory now; every later call throws `FREED`. */
  free(): void;
}

/** What a {@link Association} keeps; all off by default. */
export interface LiveRecording {
  packets?: boolean;
  samples?: boolean;
}

/** What both kinds of ends whose peer is elsewhere are opened with. */
export interface ListenerOptions {
  sctp: SctpOptions;
  /** Largest IP packet with SCTP in it, 576–65535. What UDP takes (RFC 6951 §5.1) is the caller's to leave out. */
  mtuBytes: number;
  /** Its own, as SCTP's packets name it. */
  port: number;
  record?: LiveRecording;
}

export interface AssociationOptions extends ListenerOptions {
  peerPort: number;
  /** For its tag and initial TSN: random, where others can send to it. */
  seed: number;
}

/**
 * One end of an SCTP association whose peer is elsewhere, sans-IO: whole SCTP packets go in and out, as UDP encapsulates
 * them (RFC 6951), and the caller's clock is its time. That must not run backwards.
 *
 * A client's is made by `new`, a server's by a {@link Listener}. After each call, send what
 * {@link Association.pollTransmit} gives, take {@link Association.pollEvents}, and come back with
 * {@link Association.handleTimeout} at {@link Association.nextTimeoutNs}. In events and columns 0 is the client and 1 the
 * server. Errors are as {@link Simulation}'s.
 */
export class Association {
  constructor(options: AssociationOptions | string);
  /** A packet that is damaged, or not for this end, changes nothing. */
  handlePacket(bytes: Uint8Array, nowNs: number): void;
  handleTimeout(nowNs: number): void;
  pollTransmit(nowNs: number): Uint8Array[];
  pollEvents(): AppEvent[];
  /** Infinity: nothing is timed. */
  readonly nextTimeoutNs: number;
  connect(): void;
  /** As {@link Simulation.send}. */
  send(stream: number, bytes: Uint8Array): boolean;
  /** As {@link Simulation.renew}. */
  renew(stream: number): void;
  bufferedBytes(): number;
  maxMessageInPacketBytes(): number;
  /** Graceful shutdown. */
  close(): void;
  abort(): void;
  /**
   * As a {@link Simulation}'s, as far as this end knows: of a packet that came, its arrival, which stands in `sentNs`,
   * too; of one that it sent, no fate.
   */
  packets(): PacketColumns;
  /** Of one that came, `retransmission` is that one with a higher number came before it. */
  chunks(): ChunkColumns;
  samples(): SampleColumns;
  blocked(): BlockedColumns;
  free(): void;
}

/**
 * Where associations begin that peers ask for. It keeps nothing of an INIT: its cookie has it, authenticated
 * (RFC 9260 §5.1.3), and is good for a minute.
 */
export class Listener {
  /** `key` is 64 random bytes: whoever knows them makes cookies. */
  constructor(options: ListenerOptions | string, key: Uint8Array);
  /**
   * Takes a packet that is of no association. `from` names its sender: a cookie is good from there alone. Gives what to
   * send there, or the association that begins with it, which has taken the packet.
   */
  handlePacket(from: string, bytes: Uint8Array, nowNs: number): {send?: Uint8Array; association?: Association};
  /**
   * For a packet of an association that this listener made, when its first chunk is a COOKIE ECHO: the packet that the
   * association is to be given in its place. Null if it is no cookie of this listener's for that sender.
   */
  unsealed(from: string, bytes: Uint8Array): Uint8Array | null;
}

export interface EmulatorOptions {
  /** 0–2^53 − 1. */
  seed: number;
  path: SimulationOptions['path'];
}

/** What became of one direction's packets. */
export interface EmulatorCounts {
  /** Came out. */
  passed: number;
  /** Dropped by the loss model. */
  lost: number;
  /** Dropped by the full queue, or because 64 MiB were on their way. */
  queueFull: number;
  /** Larger than the MTU. Such a packet draws no fate. */
  tooLarge: number;
}

/**
 * The emulated path alone, sans-IO, for packets whose ends are elsewhere: the caller keeps them and numbers them, and its
 * clock, which must not run backwards, is the path's time. Errors are as {@link Simulation}'s.
 */
export class Emulator {
  constructor(options: EmulatorOptions | string);
  /**
   * A packet enters: `bytes` are those of the IP packet, `number` is whatever the caller knows it by. `hasData` counts
   * with loss that applies to data. False: it was dropped, and counted. What is lost at the exit comes out of pollTransmit.
   */
  handlePacket(direction: Direction, bytes: number, hasData: boolean, number: number, nowNs: number): boolean;
  /**
   * What has arrived by now, in order: two for each packet, its number and when it arrived, in ns; then what was lost at
   * the exit by now, with Infinity.
   */
  pollTransmit(nowNs: number): Float64Array;
  /** When the next packet arrives, or would. Infinity: none is on its way. */
  readonly nextTimeoutNs: number;
  /** Changes one direction for every packet whose turn comes from now on, as {@link Simulation.changeLink} does. */
  setLink(direction: Direction, params: LinkParams, nowNs: number): void;
  /** From now on packets draw the fates of the run `seed`, from its first. */
  restartLoss(seed: number): void;
  counts(): {down: EmulatorCounts; up: EmulatorCounts};
}

/** How the kernel of one end of a connection sees the path, as `SampleColumns` has it. */
export interface TcpInfo {
  state: number;
  /** Whole segments, as the kernel counts; so is `flightBytes`, where a request of a few bytes is a segment. */
  cwndBytes: number;
  /** Infinity before the first loss. */
  ssthreshBytes: number;
  flightBytes: number;
  /** 0 before the first measurement. */
  srttNs: number;
  rtoNs: number;
  /** How often the retransmission timer has fired; null where the kernel does not count that (Linux before 6.7). */
  timeouts: number | null;
  retransmittedSegments: number;
  /** Of the last round trips with data; null before Linux 4.9. */
  deliveryRateBps: number | null;
}

/**
 * Of the kernel's TCP, by the socket's file descriptor: null where that is no open TCP socket, and on systems other than
 * Linux. Throws `INVALID_ARGUMENT` for what is no whole number from 0 to 2^31 − 1.
 */
export function tcpInfo(fd: number): TcpInfo | null;

export interface TcpConnectionOptions {
  /** A server takes the first SYN that it is given. */
  role: 'client' | 'server';
  tcp: TcpOptions;
  /** Largest IP packet with TCP in it, 576–65535. What UDP takes is the caller's to leave out. */
  mtuBytes: number;
  /** Its own and its peer's, as TCP's header names them. */
  port: number;
  peerPort: number;
  /** For its initial sequence number: random, where others can send to it (RFC 9293 §3.4.1). */
  seed: number;
  record?: LiveRecording;
}

/**
 * One end of a TCP connection whose peer is elsewhere, sans-IO, as {@link Association}: whole TCP segments go in and out,
 * from the header's first byte, to be the payload of UDP. No standard has that (draft-cheshire-tcp-over-udp-00 asks for
 * another header): both ends are ours. The checksum is over a pseudo header (RFC 9293 §3.1) that has 127.0.0.1 twice,
 * whatever UDP's addresses are, so that translators of addresses do not break it.
 */
export class TcpConnection {
  constructor(options: TcpConnectionOptions | string);
  /** A segment that is damaged, of other ports, or outside of the window, changes nothing but may be answered. */
  handlePacket(bytes: Uint8Array, nowNs: number): void;
  handleTimeout(nowNs: number): void;
  pollTransmit(nowNs: number): Uint8Array[];
  pollEvents(): AppEvent[];
  /** Infinity: nothing is timed. */
  readonly nextTimeoutNs: number;
  /** Of a client. */
  connect(): void;
  /** As {@link Simulation.write}. */
  write(bytes: Uint8Array): number;
  /** Everything that can be read now. */
  read(): Uint8Array;
  bufferedBytes(): number;
  /** FIN after what is buffered. */
  close(): void;
  /** RST. */
  abort(): void;
  /** As an {@link Association}'s: of a segment that came its arrival, of one that was sent no fate. */
  packets(): PacketColumns;
  /** Of one that came, `retransmission` is that one with later bytes came before it. */
  chunks(): ChunkColumns;
  samples(): SampleColumns;
  blocked(): BlockedColumns;
  free(): void;
}

export interface TunnelOptions {
  /** IPv4 addresses of one /30, in the namespace and outside of it. */
  inside: string;
  outside: string;
  /** Of both devices, 576–65535. */
  mtuBytes: number;
}

/**
 * Linux, as root; elsewhere the class is undefined. A network namespace with a TUN device, and another outside: what the
 * kernel sends into either comes to `onPacket`, and goes nowhere unless {@link Tunnel.send} gives it to the other. `up` is
 * out of the namespace. Both devices and the namespace, once nobody runs in it, go with the tunnel or with its process,
 * however that ends. Throws `INVALID_STATE` where the system refuses.
 */
export class Tunnel {
  constructor(options: TunnelOptions | string, onPacket: (direction: Direction, packet: Uint8Array) => void);
  /** A whole IPv4 packet arrives at the end of its way. False: the system does not take it. */
  send(direction: Direction, packet: Uint8Array): boolean;
  /** A file that is the namespace, as nsenter(1) and ip-netns(8) take it. */
  readonly namespacePath: string;
  /** Of the device outside. */
  readonly deviceName: string;
  /** Packets that `onPacket` was not told of, because thousands waited. */
  readonly missed: number;
  /** Packets that are waiting may still come. Every later call throws `FREED`. */
  close(): void;
}

/** A client's end of QUIC with TLS, whose peer is elsewhere. */
export interface QuicConnectionOptions {
  /** Without `zeroRtt`. */
  quic: QuicOptions;
  /** Largest IP packet with IPv4's header, 1228–65535. */
  mtuBytes: number;
  /** SHA-256 of the server's certificate, 64 hexadecimal digits: no other is taken. */
  fingerprint: string;
  record?: LiveRecording;
}

export interface QuicListenerOptions {
  quic: QuicOptions;
  mtuBytes: number;
  /** What a peer may have sent on streams that was not read, 1024–2^30. */
  receiveBytes: number;
  /** That its certificate is made out to: names and addresses. */
  names: string[];
  record?: LiveRecording;
}

/**
 * One end of a QUIC connection with TLS 1.3 whose peer is elsewhere, sans-IO: UDP's datagrams go in and out, and the
 * caller's clock is its time. Its ALPN is `h3`. To be driven as an {@link Association}, which its columns are as, too; the
 * packets are those below the encryption.
 */
export class QuicConnection {
  /** `key` is 64 random bytes: whoever knows them knows its ids. */
  constructor(options: QuicConnectionOptions | string, key: Uint8Array);
  /** A datagram that is not authentic changes nothing. */
  handlePacket(bytes: Uint8Array, nowNs: number): void;
  handleTimeout(nowNs: number): void;
  pollTransmit(nowNs: number): Uint8Array[];
  pollEvents(): AppEvent[];
  /** Infinity: nothing is timed. */
  readonly nextTimeoutNs: number;
  /** Of the certificate that the server showed, whether it was taken or not; null before. */
  readonly shownFingerprint: string | null;
  connect(): void;
  /** As {@link Simulation.writeParts}. */
  writeParts(parts: Uint32Array, bytes: Uint8Array): number;
  read(stream: number): Uint8Array;
  reset(stream: number, code: number): void;
  bufferedBytes(): number;
  /** Once what was written is acknowledged. */
  close(): void;
  abort(): void;
  packets(): PacketColumns;
  chunks(): ChunkColumns;
  samples(): SampleColumns;
  blocked(): BlockedColumns;
  free(): void;
}

/** Where QUIC connections begin that peers ask for, with a new certificate that signs itself. */
export class QuicListener {
  /** `key` is 64 random bytes: whoever knows them makes tokens and resets. */
  constructor(options: QuicListenerOptions | string, key: Uint8Array);
  /** SHA-256 of its certificate. */
  readonly fingerprint: string;
  /** In DER: for TLS over TCP of the same server. */
  readonly certificate: Uint8Array;
  /** Of that certificate: PKCS #8 in DER. */
  readonly privateKey: Uint8Array;
  /**
   * Takes a datagram that is of no connection. `from` names its sender. Gives what to send there, or the connection that
   * begins with it, which has taken the datagram, and the number in the first four bytes of the connection ids that its
   * peer sends to. With `validates` a peer has to show first that it is there (Retry, RFC 9000 §8.1.2), and nothing is
   * kept of it until then.
   */
  handlePacket(
    from: string,
    bytes: Uint8Array,
    nowNs: number,
    validates: boolean,
  ): {send?: Uint8Array; connection?: QuicConnection; number?: number};
}
