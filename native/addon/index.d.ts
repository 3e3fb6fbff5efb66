// The contract of the addon: netsim as JavaScript sees it. Times are integer nanoseconds since the start of the run,
// held in doubles, which is exact for 104 days. Every array is a copy that the caller owns.

import type {BlockedColumns, ChunkColumns, PacketColumns, SampleColumns} from '../../app/run/trace/columns.ts';

export type {BlockedColumns, ChunkColumns, PacketColumns, SampleColumns};

/** `down` is server → client. */
export type Direction = 'down' | 'up';

/**
 * Which packets draw a fate, by default `all`. With `data`, only packets that carry data do: TCP segments with payload,
 * SCTP packets with DATA chunks, UDP datagrams with payload. Then the k-th data packet of a direction has the same fate
 * on every path with the same seed. Packets without data always pass and do not change the state of the loss model.
 */
export type LossApplies = 'all' | 'data';

/**
 * Where packets are lost. `entry` (the default) is before the queue, as in dummynet: a lost packet takes neither room
 * nor rate. `exit` is behind the link: a lost packet has taken both, and packets that the queue drops draw no fate.
 */
export type LossAt = 'entry' | 'exit';

export type LossModel = (
  | {model: 'none'}
  | {model: 'bernoulli'; rate: number}
  /** Probabilities: p of good → bad, r of bad → good, h that a packet passes in bad, k that it passes in good. */
  | {model: 'gilbert-elliott'; p: number; r: number; h: number; k: number}
  /** Loses exactly these packets of the direction. They are counted from 0 among the packets that draw. */
  | {model: 'list'; packets: number[]}
) & {applies?: LossApplies; at?: LossAt};

export interface LinkParams {
  /** 1–10^12. */
  rateBps: number;
  /** Propagation delay, 0–3.6·10^12. */
  delayNs: number;
  loss: LossModel;
  /** The queue's limit in packets, at least 1. The packet in serialisation counts. */
  queuePackets: number;
  /** The queue's limit in bytes of IP packets; none by default. */
  queueBytes?: number;
}

export interface SimulationOptions {
  /** 0–2^53 − 1. */
  seed: number;
  /** `mtuBytes` is the largest IP packet, 576–65535. */
  path: {down: LinkParams; up: LinkParams; mtuBytes: number};
  /** What is recorded, by default nothing. `bytes` needs `packets`; {@link Simulation.pcapng} writes them. */
  record?: {packets?: boolean; samples?: boolean; bytes?: boolean};
  /**
   * Limits of the run, at least 1 each; none by default. Packets that are handed to a path count. Steps are arrivals,
   * departures, timers, changes of the path, and calls of `advance` and `advanceInto`. A run that has reached a limit
   * does not go on, which {@link Simulation.advanceInto} reports.
   */
  limits?: {packets: number; steps: number};
}

/** The numbers of both ends of a transport. */
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
  /** `writable` comes when the send buffer falls to this, by default half of it. */
  lowWaterBytes?: number;
  /**
   * How many unsent bytes the application wants to have ahead of the congestion window, 1–2^30. It first writes this
   * many bytes, and later what `room` asks for. Without this option there is no `room`.
   */
  aheadBytes?: number;
}

export interface SctpOptions {
  /** `reference-freebsd` is for validation only. */
  profile: 'classic' | 'modern' | 'reference-freebsd';
  /**
   * 1–65535. The client requests this number in INIT and the server offers its own in INIT ACK; the smaller one counts.
   */
  streams: number;
  /**
   * How this end chooses among its streams. `round-robin` (the default) goes message by message, as in FreeBSD.
   * `weighted` needs `weights`.
   */
  scheduler?: 'round-robin' | 'first-come' | 'weighted';
  /** The weight of each stream for `weighted`, 1–65535. Missing weights are 1. */
  weights?: number[];
  /**
   * Whether this end offers I-DATA (RFC 8260), by default not. If both ends do, messages that span packets interleave
   * by bytes in proportion to `weights`.
   */
  idata?: boolean;
  /**
   * Whether this end delivers messages that interleave in pieces, as soon as these are in order (RFC 9260 §6.9). Each
   * piece comes as a `message`. By default true; otherwise messages are delivered whole.
   */
  partialDelivery?: boolean;
  /** 1024–2^30, default 4 MiB. */
  sendBufferBytes?: number;
  /**
   * The receive window that this end offers, 1024–2^30, default 4 MiB. Messages that it sends are at most half as
   * large.
   */
  receiveBufferBytes?: number;
  /** `writable` comes when the number of buffered bytes falls to this, by default half of the send buffer. */
  lowWaterBytes?: number;
  /** As {@link TcpOptions.aheadBytes}. */
  aheadBytes?: number;
}

/**
 * One end of a QUIC connection. The path must have an `mtuBytes` of at least 1228 (RFC 9000 §14: 1200 bytes in a UDP
 * datagram).
 */
export interface QuicOptions {
  profile: 'classic' | 'modern';
  /**
   * Whether the client resumes an earlier session, by default not. It may then write before `connected`, and these
   * bytes travel with its first packets, one round trip earlier. No certificate is sent.
   */
  zeroRtt?: boolean;
  /**
   * How this end chooses among streams of the same priority: packet by packet in turn (the default), or one stream
   * after the other in the order of their first bytes.
   */
  scheduler?: 'round-robin' | 'first-come';
  /** The most bytes of all streams that may be written and not acknowledged, 1024–2^30, default 4 MiB. */
  sendBufferBytes?: number;
  /** `writable` comes when the send buffer falls to this, by default half of it. */
  lowWaterBytes?: number;
  /** As {@link TcpOptions.aheadBytes}. */
  aheadBytes?: number;
}

export type CloseReason =
  | 'finished'
  | 'local-abort'
  | 'peer-abort'
  | 'connect-timeout'
  | 'data-timeout'
  | 'protocol-violation';

/** An event for an application. All events of one batch happen at {@link Simulation.nowNs}. */
export type AppEvent =
  /** QUIC: the bidirectional streams that the peer grants. SCTP: the smaller of both offers. Otherwise 1. */
  | {endpoint: number; type: 'connected'; streams: number}
  /** TCP and QUIC: {@link Simulation.read} returns bytes of the stream. On TCP it is stream 0. */
  | {endpoint: number; type: 'readable'; stream: number}
  /** SCTP and UDP: a whole message, or a piece of one if messages interleave. */
  | {endpoint: number; type: 'message'; stream: number; bytes: Uint8Array}
  | {endpoint: number; type: 'writable'}
  /**
   * An end with `aheadBytes`: the application should write so many bytes now. It comes when the room has grown by at
   * least a third of `aheadBytes` since it was last reported. Later writes use up this room.
   */
  | {endpoint: number; type: 'room'; bytes: number}
  | {endpoint: number; type: 'peer-closed'}
  | {endpoint: number; type: 'closed'; reason: CloseReason}
  /** SCTP: {@link Simulation.renew} is done, or the peer refused it. */
  | {endpoint: number; type: 'renewed'; stream: number}
  /** QUIC: the peer sends no more on the stream, and everything it sent there was reported. Once for each stream. */
  | {endpoint: number; type: 'finished'; stream: number}
  /** QUIC: the peer gave the stream up. It sends no more on it and accepts no more (RFC 9000 §2.4). */
  | {endpoint: number; type: 'reset'; stream: number; code: number};

/**
 * One run: a path, the transports on it, and what happened.
 *
 * Every method throws an Error whose `code` is `INVALID_ARGUMENT` (the message names the value and its limit),
 * `UNKNOWN_ENDPOINT`, `WRONG_TRANSPORT` (this transport does not support the call), `INVALID_STATE` or `FREED`.
 * `INTERNAL` is a bug of ours, after which the object cannot be used any more. A detached array throws JavaScript's own
 * TypeError.
 */
export class Simulation {
  /** Here and everywhere else options may also be given as JSON. A string crosses to the addon ten times faster. */
  constructor(options: SimulationOptions | string);
  readonly nowNs: number;
  /**
   * Adds a path beside the simulation's own, for the second part of the way behind a gateway. It has its own losses and
   * cannot be changed. Returns its number, from 1. {@link Simulation.packets} has the packets of all paths.
   */
  addPath(path: SimulationOptions['path'] | string): number;
  /**
   * Each `open` adds a transport. All transports on a path share it. `path` is by default 0, the simulation's own.
   * `port` is the server's, by default 80; QUIC's server is at 443.
   */
  openTcp(options: {client: TcpOptions; server: TcpOptions; path?: number; port?: number} | string): Endpoints;
  openSctp(options: {client: SctpOptions; server: SctpOptions; path?: number} | string): Endpoints;
  openUdp(): Endpoints;
  openQuic(options: {client: QuicOptions; server: QuicOptions; path?: number} | string): Endpoints;
  /** Starts the client's handshake. */
  connect(endpoint: number): void;
  /**
   * TCP and QUIC: takes what fits the send buffer and returns the number of bytes taken. `stream` is 0 on TCP. On QUIC
   * it is a stream's id (RFC 9000 §2.1, below 2^32). The first use of one of this end's own ids opens that stream and
   * all lower ones of the same type. Nothing is taken until the peer grants the stream.
   */
  write(endpoint: number, stream: number, bytes: Uint8Array): number;
  /**
   * QUIC: does {@link write}, and {@link finish} at the end of a stream, for several parts in one call, which is
   * faster. Each part is three numbers in `parts`: its stream, how many of `bytes` it has (they follow those of the
   * previous part), and 1 if the stream ends with it, else 0. Stops after a part that was not taken whole. Returns the
   * number of bytes taken.
   */
  writeParts(endpoint: number, parts: Uint32Array, bytes: Uint8Array): number;
  /** TCP and QUIC: takes everything that can be read now. `stream` is 0 on TCP. */
  read(endpoint: number, stream: number): Uint8Array;
  /** QUIC: ends the stream. The peer gets `finished` after the last byte. Opens the stream as a write does. */
  finish(endpoint: number, stream: number): void;
  /** QUIC: gives the stream up in both directions. The peer gets `reset`. `code` is below 2^32. */
  reset(endpoint: number, stream: number, code: number): void;
  /**
   * QUIC: sets the stream's priority, −512 to 511 and 0 by default, from the next packet on. Streams with a higher
   * priority are sent first. Opens the stream as a write does.
   */
  setPriority(endpoint: number, stream: number, priority: number): void;
  /**
   * SCTP and UDP: takes a whole message. Returns false if the send buffer has no room for it now. On SCTP a message has
   * at least one byte.
   */
  send(endpoint: number, stream: number, bytes: Uint8Array): boolean;
  /**
   * SCTP: resets the stream (RFC 6525), so that both ends number its messages from 0 again. Each end resets its own
   * direction: this one once everything written before is sent, the peer in answer. `renewed` reports that both are
   * done.
   */
  renew(endpoint: number, stream: number): void;
  /** Bytes that were written and are not acknowledged. */
  bufferedBytes(endpoint: number): number;
  /** The congestion window now; 0 for UDP. */
  cwndBytes(endpoint: number): number;
  /** SCTP and UDP: the largest message that fits in one chunk in one packet. */
  maxMessageInPacketBytes(endpoint: number): number;
  /**
   * TCP: sends FIN after the buffered bytes. SCTP: shuts down gracefully. QUIC: sends CONNECTION_CLOSE once all
   * buffered bytes are acknowledged, which ends the connection for both ends (RFC 9000 §10.2).
   */
  close(endpoint: number): void;
  abort(endpoint: number): void;
  /** Changes one direction of the simulation's own path at `atNs`, or now if that is past. */
  changeLink(atNs: number, direction: Direction, params: LinkParams): void;
  /**
   * Runs to the next instant that has events, or to `untilNs`, whichever comes first, and returns the events. No events
   * mean that `untilNs` was reached or, without it, that nothing is left to happen.
   */
  advance(untilNs?: number): AppEvent[];
  /**
   * Does the same as {@link advance} in one call without objects, which is faster. It also reads everything that can be
   * read, and writes all of it to `into`. The layout is doubles in the machine's byte order, then bytes:
   *
   * - {@link nowNs}
   * - the number of events
   * - the limit that the run has reached: 0 none, 1 packets, 2 steps
   * - five numbers for each event: its type (0 connected, 1 readable, 2 message, 3 writable, 4 peer-closed, 5 closed, 6
   *   finished, 7 reset, 8 renewed, 9 room); its endpoint; its streams, stream, bytes or reason (in the order of {@link
   *   CloseReason}, from 0); where in `into` its bytes begin; and how many bytes these are. A reset has its code and 0
   *   in place of the last two.
   * - the bytes
   *
   * Returns the size of all of it in bytes. If that is more than `into` has, nothing is written, and the next call
   * writes the same again without advancing.
   */
  advanceInto(untilNs: number, into: Uint8Array): number;
  packets(): PacketColumns;
  chunks(): ChunkColumns;
  samples(): SampleColumns;
  blocked(): BlockedColumns;
  /**
   * The recorded packets as a capture file with nanosecond times. Packets that did not arrive have a comment that says
   * why. `application` names the program that writes the file.
   */
  pcapng(application?: string): Uint8Array;
  /** Releases the memory of the run now. Every later call throws `FREED`. */
  free(): void;
}

/** What a live end records, by default nothing. */
export interface LiveRecording {
  packets?: boolean;
  samples?: boolean;
}

/** Options of a {@link Listener}. */
export interface ListenerOptions {
  sctp: SctpOptions;
  /** The largest IP packet with SCTP in it, 576–65535. The caller must subtract what UDP takes (RFC 6951 §5.1). */
  mtuBytes: number;
  /** This end's port in SCTP's header. */
  port: number;
  record?: LiveRecording;
}

export interface AssociationOptions extends ListenerOptions {
  peerPort: number;
  /** Determines the tag and the initial TSN. It must be random if others can send to this end. */
  seed: number;
}

/**
 * One end of an SCTP association whose peer is elsewhere, sans-IO. Whole SCTP packets go in and out, to be carried in
 * UDP (RFC 6951). The caller's clock, which must not run backwards, gives the time.
 *
 * `new` makes a client's end, a {@link Listener} makes a server's. After each call, send what {@link
 * Association.pollTransmit} returns, take {@link Association.pollEvents}, and call {@link Association.handleTimeout} at
 * {@link Association.nextTimeoutNs}. In events and columns 0 is the client and 1 is the server. Errors are those of
 * {@link Simulation}.
 */
export class Association {
  constructor(options: AssociationOptions | string);
  /** A packet that is damaged, or not for this end, changes nothing. */
  handlePacket(bytes: Uint8Array, nowNs: number): void;
  handleTimeout(nowNs: number): void;
  pollTransmit(nowNs: number): Uint8Array[];
  pollEvents(): AppEvent[];
  /** Infinity if no timer is set. */
  readonly nextTimeoutNs: number;
  connect(): void;
  /** As {@link Simulation.send}. */
  send(stream: number, bytes: Uint8Array): boolean;
  /** As {@link Simulation.renew}. */
  renew(stream: number): void;
  bufferedBytes(): number;
  maxMessageInPacketBytes(): number;
  /** Shuts down gracefully. */
  close(): void;
  abort(): void;
  /**
   * The columns of a {@link Simulation}, as far as this end knows them. Of a packet that arrived only the arrival is
   * known, which also stands in `sentNs`. The fate of a packet that this end sent is unknown.
   */
  packets(): PacketColumns;
  /** A chunk that arrived counts as a `retransmission` if one with a higher number arrived before it. */
  chunks(): ChunkColumns;
  samples(): SampleColumns;
  blocked(): BlockedColumns;
  free(): void;
}

/**
 * Accepts the associations that peers ask for. It keeps no state for an INIT: the cookie contains it, authenticated
 * (RFC 9260 §5.1.3). A cookie is valid for a minute.
 */
export class Listener {
  /** `key` is 64 random bytes. They must stay secret, because they authenticate cookies. */
  constructor(options: ListenerOptions | string, key: Uint8Array);
  /**
   * Handles a packet that belongs to no association. `from` identifies the address of its sender; a cookie is valid
   * from there only. Returns what to send there, or the new association, which has already handled the packet.
   */
  handlePacket(from: string, bytes: Uint8Array, nowNs: number): {send?: Uint8Array; association?: Association};
  /**
   * For a packet to an association that this listener made, if its first chunk is a COOKIE ECHO: returns the packet
   * that the association must be given instead. Null if the cookie is not one that this listener made for that sender.
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
  /** Packets that came out. */
  passed: number;
  /** Packets that the loss model dropped. */
  lost: number;
  /** Packets that were dropped because the queue was full or 64 MiB were on their way. */
  queueFull: number;
  /** Packets larger than the MTU. They draw no fate. */
  tooLarge: number;
}

/**
 * The emulated path alone, sans-IO, for packets whose endpoints are elsewhere. The caller keeps the packets and numbers
 * them. The caller's clock, which must not run backwards, gives the time. Errors are those of {@link Simulation}.
 */
export class Emulator {
  constructor(options: EmulatorOptions | string);
  /**
   * A packet enters. `bytes` is the size of the IP packet, `number` is the caller's number for it, and `hasData`
   * matters for loss that applies to data. Returns false if the packet was dropped and counted. Packets that are lost
   * at the exit come out of `pollTransmit`.
   */
  handlePacket(direction: Direction, bytes: number, hasData: boolean, number: number, nowNs: number): boolean;
  /**
   * The packets that have arrived by now, in order: two numbers for each packet, its number and its arrival in ns. The
   * packets follow that were lost at the exit by now; theirs is Infinity.
   */
  pollTransmit(nowNs: number): Float64Array;
  /** When the next packet can arrive at the earliest. Infinity if none is on its way. */
  readonly nextTimeoutNs: number;
  /** Changes one direction for all packets whose turn comes from now on, as {@link Simulation.changeLink} does. */
  setLink(direction: Direction, params: LinkParams, nowNs: number): void;
  /** From now on packets draw the same fates as the first packets of a run with this seed. */
  restartLoss(seed: number): void;
  counts(): {down: EmulatorCounts; up: EmulatorCounts};
}

/** How the kernel of one end of a TCP connection sees the path, in the terms of {@link SampleColumns}. */
export interface TcpInfo {
  state: number;
  /** The kernel counts whole segments, here and in `flightBytes`. A request of a few bytes counts as a segment. */
  cwndBytes: number;
  /** Infinity before the first loss. */
  ssthreshBytes: number;
  flightBytes: number;
  /** 0 before the first measurement. */
  srttNs: number;
  rtoNs: number;
  /** How often the retransmission timer has fired. Null if the kernel does not count this (Linux before 6.7). */
  timeouts: number | null;
  retransmittedSegments: number;
  /** The rate of the last round trips with data. Null before Linux 4.9. */
  deliveryRateBps: number | null;
}

/**
 * The kernel's view of the TCP socket with this file descriptor. Null if it is not an open TCP socket, and on systems
 * other than Linux. Throws `INVALID_ARGUMENT` unless `fd` is a whole number from 0 to 2^31 − 1.
 */
export function tcpInfo(fd: number): TcpInfo | null;

export interface TcpConnectionOptions {
  /** A server accepts the first SYN that it is given. */
  role: 'client' | 'server';
  tcp: TcpOptions;
  /** The largest IP packet with TCP in it, 576–65535. The caller must subtract what UDP takes. */
  mtuBytes: number;
  /** This end's port in TCP's header. */
  port: number;
  peerPort: number;
  /** Determines the initial sequence number. It must be random if others can send to this end (RFC 9293 §3.4.1). */
  seed: number;
  record?: LiveRecording;
}

/**
 * One end of a TCP connection whose peer is elsewhere, sans-IO. It is driven like an {@link Association}. Whole TCP
 * segments go in and out, from the first byte of the header, as the payload of UDP. No standard defines this
 * (draft-cheshire-tcp-over-udp-00 has another header), so both ends must be ours. The pseudo header of the checksum
 * (RFC 9293 §3.1) has 127.0.0.1 as both addresses, whatever UDP's addresses are, so that NAT does not break it.
 */
export class TcpConnection {
  constructor(options: TcpConnectionOptions | string);
  /** A segment that is damaged, for other ports, or outside of the window changes nothing. It may be answered. */
  handlePacket(bytes: Uint8Array, nowNs: number): void;
  handleTimeout(nowNs: number): void;
  pollTransmit(nowNs: number): Uint8Array[];
  pollEvents(): AppEvent[];
  /** Infinity if no timer is set. */
  readonly nextTimeoutNs: number;
  /** Starts a client's handshake. */
  connect(): void;
  /** As {@link Simulation.write}. */
  write(bytes: Uint8Array): number;
  /** Takes everything that can be read now. */
  read(): Uint8Array;
  bufferedBytes(): number;
  /** Sends FIN after the buffered bytes. */
  close(): void;
  /** Sends RST. */
  abort(): void;
  /** As {@link Association.packets}. */
  packets(): PacketColumns;
  /** A segment that arrived counts as a `retransmission` if one with later bytes arrived before it. */
  chunks(): ChunkColumns;
  samples(): SampleColumns;
  blocked(): BlockedColumns;
  free(): void;
}

export interface TunnelOptions {
  /** IPv4 address of the device in the namespace. Both addresses are in one /30. */
  inside: string;
  /** IPv4 address of the device outside of the namespace. */
  outside: string;
  /** The MTU of both devices, 576–65535. */
  mtuBytes: number;
}

/**
 * A network namespace with a TUN device, and a second TUN device outside of it. It needs Linux and root; on other
 * systems the class is undefined. Packets that the kernel sends into either device come to `onPacket`. They go nowhere
 * unless {@link Tunnel.send} hands them to the other device. `up` leads out of the namespace. The devices disappear
 * with the tunnel or with its process, however that ends; the namespace too, once no process runs in it. Throws
 * `INVALID_STATE` if the system refuses.
 */
export class Tunnel {
  constructor(options: TunnelOptions | string, onPacket: (direction: Direction, packet: Uint8Array) => void);
  /** Delivers a whole IPv4 packet at the end of its way. Returns false if the system does not accept it. */
  send(direction: Direction, packet: Uint8Array): boolean;
  /** The path of the namespace's file, for nsenter(1) and ip-netns(8). */
  readonly namespacePath: string;
  /** The name of the device outside of the namespace. */
  readonly deviceName: string;
  /** How many packets were dropped because thousands were waiting for `onPacket`. */
  readonly missed: number;
  /** Removes the devices. Packets that are already waiting may still come. Every later call throws `FREED`. */
  close(): void;
}

/** Options of a client's end of QUIC with TLS. */
export interface QuicConnectionOptions {
  /** `zeroRtt` is not allowed. */
  quic: QuicOptions;
  /** The largest IP packet, IPv4 header included, 1228–65535. */
  mtuBytes: number;
  /** SHA-256 of the server's certificate, 64 hexadecimal digits. No other certificate is accepted. */
  fingerprint: string;
  record?: LiveRecording;
}

export interface QuicListenerOptions {
  quic: QuicOptions;
  mtuBytes: number;
  /** The most bytes that a peer may have sent on streams and that were not read here, 1024–2^30. */
  receiveBytes: number;
  /** The names and addresses in the server's certificate. */
  names: string[];
  record?: LiveRecording;
}

/**
 * One end of a QUIC connection with TLS 1.3 whose peer is elsewhere, sans-IO. UDP datagrams go in and out, and the
 * caller's clock gives the time. The ALPN is `h3`. It is driven like an {@link Association} and has the same columns.
 * They show the packets without their encryption.
 */
export class QuicConnection {
  /** `key` is 64 random bytes. They must stay secret, because the connection ids follow from them. */
  constructor(options: QuicConnectionOptions | string, key: Uint8Array);
  /** A datagram that is not authentic changes nothing. */
  handlePacket(bytes: Uint8Array, nowNs: number): void;
  handleTimeout(nowNs: number): void;
  pollTransmit(nowNs: number): Uint8Array[];
  pollEvents(): AppEvent[];
  /** Infinity if no timer is set. */
  readonly nextTimeoutNs: number;
  /** The fingerprint of the certificate that the server showed, whether it was accepted or not. Null before. */
  readonly shownFingerprint: string | null;
  connect(): void;
  /** As {@link Simulation.writeParts}. */
  writeParts(parts: Uint32Array, bytes: Uint8Array): number;
  read(stream: number): Uint8Array;
  reset(stream: number, code: number): void;
  bufferedBytes(): number;
  /** Closes the connection once everything written is acknowledged. */
  close(): void;
  abort(): void;
  packets(): PacketColumns;
  chunks(): ChunkColumns;
  samples(): SampleColumns;
  blocked(): BlockedColumns;
  free(): void;
}

/** Accepts the QUIC connections that peers ask for, with a new self-signed certificate. */
export class QuicListener {
  /** `key` is 64 random bytes. They must stay secret, because they authenticate tokens and stateless resets. */
  constructor(options: QuicListenerOptions | string, key: Uint8Array);
  /** SHA-256 of the certificate. */
  readonly fingerprint: string;
  /** The certificate in DER, to be used for TLS over TCP of the same server too. */
  readonly certificate: Uint8Array;
  /** The private key of the certificate: PKCS #8 in DER. */
  readonly privateKey: Uint8Array;
  /**
   * Handles a datagram that belongs to no connection. `from` identifies the address of its sender. Returns what to send
   * there, or the new connection, which has already handled the datagram, with its number: the connection ids to which
   * its peer sends begin with this number in four bytes. With `validates` a peer first has to prove that it receives at
   * its address (Retry, RFC 9000 §8.1.2), and no state is kept until then.
   */
  handlePacket(
    from: string,
    bytes: Uint8Array,
    nowNs: number,
    validates: boolean,
  ): {send?: Uint8Array; connection?: QuicConnection; number?: number};
}
