// The API of the addon, which makes netsim available to JavaScript. Times are integer nanoseconds, as doubles, which
// are exact for 104 days. They count from the start of the run, or from the zero of the caller's clock in classes that
// have arguments `nowNs`. Every array is a copy that the caller owns.

import type {
  CapacityTrace,
  CloseReason,
  DelayTrace,
  Direction,
  Drops,
  LinkParams,
  LossApplies,
  LossAt,
  LossModel,
  SimulationOptions,
  TrafficFlow,
} from '../../app/engine/native.ts';
import type {
  BlockedColumns,
  ChunkColumns,
  PacketColumns,
  SampleColumns,
  TrafficColumns,
} from '../../app/run/trace/columns.ts';

export type {
  BlockedColumns,
  CapacityTrace,
  ChunkColumns,
  CloseReason,
  DelayTrace,
  Direction,
  Drops,
  LinkParams,
  LossApplies,
  LossAt,
  LossModel,
  PacketColumns,
  SampleColumns,
  SimulationOptions,
  TrafficColumns,
  TrafficFlow,
};

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

/**
 * The congestion control of an end. By default it is that of the profile. `reno-70` is Reno that keeps 70 % of the
 * window after a loss, as in quic-go.
 */
export type Congestion = 'reno' | 'cubic' | 'bbr' | 'reno-70';

/**
 * The use of ECN. With `off`, the default, packets have no ECN. With `classic` they have ECT(0), and a mark counts like
 * a loss (RFC 3168). With `l4s` they have ECT(1), and the window falls in proportion to the share of marked packets
 * (L4S, RFC 9331). If the two ends of a TCP connection want different modes, both use the weaker one. `off` is the
 * weakest, and `l4s` is the strongest.
 */
export type Ecn = 'off' | 'classic' | 'l4s';

export interface TcpOptions {
  profile: TcpProfile;
  congestion?: Congestion;
  ecn?: Ecn;
  /** 1024–2^30, default 4 MiB. */
  sendBufferBytes?: number;
  /** 1024–2^30, default 4 MiB. */
  receiveBufferBytes?: number;
  /**
   * `writable` is reported when the number of buffered bytes falls to this number, by default half of the send buffer.
   */
  lowWaterBytes?: number;
  /**
   * How many unsent bytes the application wants to keep beyond the congestion window, 1–2^30. The application first
   * writes this many bytes, and later as many as each `room` says. Without this option no `room` is reported.
   */
  aheadBytes?: number;
  /**
   * While the congestion window is larger than this, 0–2^30, the application wants to keep `aheadBytes` or 1.8 windows
   * of unsent bytes, whichever is larger. By default it always wants to keep `aheadBytes`.
   */
  aheadGrowsFromBytes?: number;
  /**
   * Whether the last segment of each write is sent immediately while the window is open, so that later writes do not
   * fill it (`TCP_NODELAY`). By default all writes of one instant are joined.
   */
  writesApart?: boolean;
  /**
   * Whether the windows do not limit a page load, unlike those of any real stack; false by default. The congestion
   * window starts with 1000 segments, even if packets of the handshake were lost, and the whole receive buffer is
   * offered from the start. A loss of data still reduces the congestion window.
   */
  unlimitedWindow?: boolean;
}

export interface SctpOptions {
  /** `reference-freebsd` is for validation only. */
  profile: 'classic' | 'modern' | 'reference-freebsd';
  /**
   * The number of streams in each direction, 1–65535. The client requests its number in the INIT and the server offers
   * its number in the INIT ACK. The association has the smaller of both (RFC 9260 §5.1.1).
   */
  streams: number;
  /**
   * How this end chooses among its streams. With `round-robin` (the default) the streams take turns with one message
   * each, as in FreeBSD. `first-come` sends messages in the order of writing. With `weighted` the streams send bytes in
   * proportion to `weights`.
   */
  scheduler?: 'round-robin' | 'first-come' | 'weighted';
  /**
   * The weight of each stream, 1–65535. A stream without a weight has weight 1. Other schedulers than `weighted` refuse
   * this option.
   */
  weights?: number[];
  /**
   * Whether the association runs over DTLS 1.3 over UDP (RFC 8261), without encryption; false by default. The client's
   * option applies to both ends. A live {@link Association} does not support DTLS.
   */
  dtls?: boolean;
  /**
   * Whether a client sends its first messages together with COOKIE ECHO (RFC 9260 §5.1); false by default. If true, the
   * client reports `connected` one round trip earlier.
   */
  dataWithCookieEcho?: boolean;
  /**
   * Whether this end offers I-DATA (RFC 8260); false by default. If both ends offer it, messages that span packets
   * interleave, unless the scheduler is `first-come`. The streams of these messages then send bytes in proportion to
   * `weights`.
   */
  idata?: boolean;
  /**
   * Whether this end delivers the pieces of interleaving messages as soon as they are in order (RFC 9260 §6.9). Each
   * piece is reported as a `message`. If false, whole messages are delivered. The default is true.
   */
  partialDelivery?: boolean;
  /** 1024–2^30, default 4 MiB. */
  sendBufferBytes?: number;
  /**
   * The receive window that this end offers, 1024–2^30, default 4 MiB. A message that this end sends is at most half as
   * large as this window.
   */
  receiveBufferBytes?: number;
  /**
   * Whether the congestion window does not limit a page load, unlike that of any real stack; false by default. The
   * window starts with 1000 packets, all of which may be one burst. A loss still reduces it.
   */
  unlimitedWindow?: boolean;
  /**
   * `writable` is reported when the number of buffered bytes falls to this number, by default half of the send buffer.
   */
  lowWaterBytes?: number;
  /** See {@link TcpOptions.aheadBytes}. */
  aheadBytes?: number;
}

/**
 * Options of one end of a QUIC connection. The path must have an `mtuBytes` of at least 1228, because it must carry UDP
 * datagrams of 1200 bytes (RFC 9000 §14).
 */
export interface QuicOptions {
  profile: 'classic' | 'modern';
  congestion?: Congestion;
  ecn?: Ecn;
  /** Whether the client resumes an earlier session, so that the server sends no certificate; false by default. */
  resumes?: boolean;
  /**
   * Whether a client that resumes a session may write before `connected`; false by default. These bytes are sent with
   * its first packets, one round trip before `connected` (0-RTT).
   */
  earlyData?: boolean;
  /** Whether a server of `modern` compresses its certificate (RFC 8879); false by default. */
  compressesCertificate?: boolean;
  /** Whether a server of `modern` has no post-quantum key exchange; false by default. */
  lacksHybridShare?: boolean;
  /**
   * Whether the end, from packet number 100 on, acknowledges immediately only every tenth packet and the first four
   * packets after a gap, as Chromium does; false by default. If false, it acknowledges immediately every second packet
   * and each packet that is out of order.
   */
  decimatesAcks?: boolean;
  /**
   * Size of the largest UDP payload that this end sends at first, 1200–65507; by default that of the profile. `classic`
   * fills the path's MTU, and `modern` begins with 1250 (client) and 1280 (server). No datagram is larger than the path
   * allows.
   */
  firstDatagramBytes?: number;
  /** Whether this end searches for larger datagrams, up to 1452 bytes (DPLPMTUD); true by default. */
  searchesMtu?: boolean;
  /** The size of the initial congestion window in packets, 2–1000; by default that of the profile. */
  firstWindowPackets?: number;
  /** The factor of the RTT's variation in a probe timeout, 1–4; by default 4 (RFC 9002 §6.2.1). */
  rttvarFactor?: number;
  /**
   * The probe timeout before the RTT is known, 10–10,000 ms; by default that of the profile: 1 s with `modern` and 3 s
   * with `classic` (RFC 9002 §6.2.2), and less with a smaller `rttvarFactor`.
   */
  firstTimeoutMs?: number;
  /**
   * Whether each datagram is paced by itself, as in quic-go; false by default. If not, datagrams are paced in bursts of
   * at least ten, as in quinn. BBR, and any congestion control with `l4s`, always paces by a rate of its own.
   */
  pacesEach?: boolean;
  /**
   * Whether a server lets the client change to another address (RFC 9000 §9); false by default. If not, the server says
   * so in its transport parameters.
   */
  migration?: boolean;
  /**
   * How this end chooses among streams of the same priority. With `round-robin` (the default) the streams take turns
   * with one packet each. With `first-come` they are sent one after the other, in the order of their first bytes.
   */
  scheduler?: 'round-robin' | 'first-come';
  /** The most bytes, over all streams, that may be written but not yet acknowledged, 1024–2^30, default 4 MiB. */
  sendBufferBytes?: number;
  /**
   * `writable` is reported when the number of buffered bytes falls to this number, by default half of the send buffer.
   */
  lowWaterBytes?: number;
  /** See {@link TcpOptions.aheadBytes}. */
  aheadBytes?: number;
}

/**
 * An event for an application. All events that one call of {@link Simulation.advance} returns happen at {@link
 * Simulation.nowNs}.
 */
export type AppEvent =
  /**
   * The handshake is done. `streams` is the number of bidirectional streams that the peer grants (QUIC), the smaller of
   * both ends' numbers (SCTP), or 1.
   */
  | {endpoint: number; type: 'connected'; streams: number}
  /** TCP and QUIC: {@link Simulation.read} can read bytes of the stream. On TCP the stream is 0. */
  | {endpoint: number; type: 'readable'; stream: number}
  /** SCTP and UDP: a whole message, or a piece of a message if messages interleave. */
  | {endpoint: number; type: 'message'; stream: number; bytes: Uint8Array}
  /** The number of buffered bytes fell to `lowWaterBytes`, or a write that was refused or cut may be tried again. */
  | {endpoint: number; type: 'writable'}
  /**
   * With `aheadBytes`: the application should write this many bytes now. The event is reported when this number exceeds
   * the number in the last report, minus the bytes written since then, by at least a third of what the application
   * wants to keep.
   */
  | {endpoint: number; type: 'room'; bytes: number}
  /** The peer sends no more, and everything that it sent was reported. */
  | {endpoint: number; type: 'peer-closed'}
  /** The connection, association or flow has ended. */
  | {endpoint: number; type: 'closed'; reason: CloseReason}
  /** SCTP: {@link Simulation.renew} is done, or the peer has refused it. */
  | {endpoint: number; type: 'renewed'; stream: number}
  /**
   * QUIC: the peer sends no more on the stream, and everything that it sent there was reported. This is reported once
   * for each stream.
   */
  | {endpoint: number; type: 'finished'; stream: number}
  /** QUIC: the peer no longer sends on the stream, no longer accepts data on it, or both (RFC 9000 §3.5). */
  | {endpoint: number; type: 'reset'; stream: number; code: number};

/**
 * One run: a path, the transports on it, and the trace.
 *
 * If a method fails, it throws an Error whose `code` is `INVALID_ARGUMENT` (the message names the value and its limit),
 * `UNKNOWN_ENDPOINT`, `WRONG_TRANSPORT` (this transport does not support the call), `INVALID_STATE` or `FREED`. The
 * code `INTERNAL` means a panic in the native core, which is a bug, or an error of Node-API. Do not use the object any
 * more then: after a panic it cannot be used, and the code does not say which of the two it was. A detached array of
 * bytes causes the TypeError that JavaScript throws for it.
 */
export class Simulation {
  /**
   * All options in this file may also be given as JSON. Passing a string to the addon is ten times faster than passing
   * an object.
   */
  constructor(options: SimulationOptions | string);
  readonly nowNs: number;
  /**
   * Adds another path, for example for the other side of a gateway. The path has its own losses and cannot be changed
   * later. Returns its number, from 1. {@link Simulation.packets} has the packets of all paths.
   */
  addPath(path: SimulationOptions['path'] | string): number;
  /**
   * Adds a page load, and returns its number. All page loads share the path of the options, which is the `path` that
   * the constructor was given. The first page load has the number 0, which is the default of all arguments `page`. Each
   * page load has its own columns, and its packets are counted separately: the k-th packet of a direction has the same
   * fate in all page loads.
   */
  addPage(): number;
  /**
   * Each `open` method adds a transport. All transports on a path share the path. `path` is 0 by default, which is the
   * path of the options. `port` is the server's port, 80 by default; servers of QUIC and of SCTP over DTLS have port
   * 443. `host` is the number of the server's host, 0 by default, and at most 255. Each host up to 253 has an address
   * of its own. The hosts 254 and 255 have the address of host 253.
   *
   * With `freeSetUp`, false by default, the handshake of TCP or SCTP takes no time, unlike any real one: until both
   * ends are connected, their packets without data arrive immediately and are never lost. Both ends take the sum of the
   * path's delays in both directions as the RTT of the handshake. QUIC refuses the option.
   */
  openTcp(
    options:
      | {
          client: TcpOptions;
          server: TcpOptions;
          path?: number;
          page?: number;
          port?: number;
          host?: number;
          freeSetUp?: boolean;
        }
      | string,
  ): Endpoints;
  openSctp(
    options:
      | {client: SctpOptions; server: SctpOptions; path?: number; page?: number; host?: number; freeSetUp?: boolean}
      | string,
  ): Endpoints;
  openUdp(page?: number): Endpoints;
  openQuic(
    options: {client: QuicOptions; server: QuicOptions; path?: number; page?: number; host?: number} | string,
  ): Endpoints;
  /** Starts the client's handshake. */
  connect(endpoint: number): void;
  /**
   * TCP and QUIC: accepts as many bytes as fit the send buffer and returns their number. `stream` is 0 on TCP. On QUIC
   * it is the id of a stream (RFC 9000 §2.1), below 2^32. The first use of an id of this end opens this stream and all
   * streams of the same type with lower ids. Returns 0 until the peer grants the stream.
   */
  write(endpoint: number, stream: number, bytes: Uint8Array): number;
  /**
   * QUIC: writes several parts in one call, which is faster than one {@link write} for each part and one {@link finish}
   * for each stream that ends. Each part has three numbers in `parts`: its stream, the number of its bytes, and 1 if
   * the stream ends with the part, else 0. `bytes` has the bytes of all parts, one after the other. Stops after a part
   * that was not accepted whole. Returns the number of accepted bytes.
   */
  writeParts(endpoint: number, parts: Uint32Array, bytes: Uint8Array): number;
  /** TCP and QUIC: returns all bytes that can be read now. `stream` is 0 on TCP. */
  read(endpoint: number, stream: number): Uint8Array;
  /** QUIC: ends the stream. The peer gets `finished` after the last byte. Opens the stream like {@link write}. */
  finish(endpoint: number, stream: number): void;
  /** QUIC: aborts both directions of the stream. The peer gets `reset`. `code` is below 2^32. */
  reset(endpoint: number, stream: number, code: number): void;
  /**
   * QUIC: sets the stream's priority from the next packet on: −512 to 511, 0 by default. Streams with a higher priority
   * are sent first. Opens the stream like {@link write}.
   */
  setPriority(endpoint: number, stream: number, priority: number): void;
  /**
   * SCTP and UDP: sends a whole message. Returns false if the send buffer has no room for the message now. On SCTP a
   * message has at least one byte.
   */
  send(endpoint: number, stream: number, bytes: Uint8Array): boolean;
  /**
   * SCTP: resets the stream (RFC 6525), so that both ends number its messages from 0 again. This end resets its
   * direction once everything written before is sent, and the peer then resets the other direction. `renewed` reports
   * that both directions are reset, or that the peer has refused it.
   */
  renew(endpoint: number, stream: number): void;
  /** Bytes that were written and are not acknowledged. */
  bufferedBytes(endpoint: number): number;
  /** The congestion window in bytes; 0 for UDP. */
  cwndBytes(endpoint: number): number;
  /** SCTP and UDP: the size in bytes of the largest message that fits in one packet as one chunk. */
  maxMessageInPacketBytes(endpoint: number): number;
  /**
   * TCP: sends FIN after the buffered bytes. SCTP: shuts down gracefully. QUIC: sends CONNECTION_CLOSE once all
   * buffered bytes are acknowledged, which ends the connection for both ends (RFC 9000 §10.2).
   */
  close(endpoint: number): void;
  /** Ends the connection now and drops all buffered data. */
  abort(endpoint: number): void;
  /**
   * Whether a client's connection would continue at a new address if the client moved now. This holds for QUIC before
   * it connects and once the handshake is confirmed (RFC 9000 §9). The server's option `migration` is not checked.
   * Without it, a server that is connected ignores packets from the new address.
   */
  canChangeAddress(endpoint: number): boolean;
  /** Changes one direction of the path of the options at the time `atNs`, or now if `atNs` is in the past. */
  changeLink(atNs: number, direction: Direction, params: LinkParams): void;
  /**
   * Moves the client now from the path of the options to another path. The address of the client changes, and the path
   * of the options gets these settings and empty queues. Packets in the queues, and packets on their way to the client,
   * are lost. Packets to the server that have already left their queue still arrive. Other traffic ends. Connections
   * that can follow to the new address do so (`canChangeAddress`). All other connections stay at the old address, and
   * nothing that is sent from or to this address afterwards arrives. Connections that are opened later have the new
   * address. Paths that were added are not affected.
   */
  handOver(down: LinkParams | string, up: LinkParams | string): void;
  /**
   * Makes the path of the options also lose these packets of a page load. Packets are counted from 0, at the link's
   * entry or exit ({@link LossAt}). The fates of all other packets stay the same. Call this before the run starts.
   */
  setDrops(direction: Direction, drops: Drops, page?: number): void;
  /**
   * Runs to the next instant that has events, or to `untilNs`, whichever comes first, and returns the events. An empty
   * result means that `untilNs` was reached. Without `untilNs` it means that nothing is left to happen. The result is
   * also empty if the run has reached one of its limits ({@link SimulationOptions}).
   */
  advance(untilNs?: number): AppEvent[];
  /**
   * Does the same as {@link advance} without creating objects, which is faster. It also reads all bytes that can be
   * read, and writes the events and bytes to `into`. The layout is doubles in the machine's byte order, then bytes:
   *
   * - {@link nowNs}
   * - the number of events
   * - the limit that the run has reached: 0 none, 1 packets, 2 steps
   * - five numbers for each event: its type (0 connected, 1 readable, 2 message, 3 writable, 4 peer-closed, 5 closed, 6
   *   finished, 7 reset, 8 renewed, 9 room); its endpoint; its streams, stream, bytes or reason (in the order of {@link
   *   CloseReason}, from 0); the offset of its bytes in `into`; and the number of these bytes. The last two numbers of
   *   a reset are its code and 0.
   * - the bytes
   *
   * Returns the total size in bytes. If `into` is smaller, nothing is written, and the next call writes the same events
   * without advancing.
   */
  advanceInto(untilNs: number, into: Uint8Array): number;
  packets(page?: number): PacketColumns;
  chunks(page?: number): ChunkColumns;
  samples(page?: number): SampleColumns;
  blocked(page?: number): BlockedColumns;
  /** The packets of other traffic. `flow` is the flow's index in the options. */
  traffic(): TrafficColumns;
  /**
   * Returns the recorded packets of a page load as a pcapng file with times in nanoseconds. A packet that did not
   * arrive has a comment that says why. `application` names the program that writes the file.
   */
  pcapng(application?: string, page?: number): Uint8Array;
  /** Releases the memory of the run now. Every later call throws `FREED`. */
  free(): void;
}

/** What is recorded at an end whose peer is on a real network; nothing by default. */
export interface LiveRecording {
  packets?: boolean;
  samples?: boolean;
}

/** Options of a {@link Listener}. */
export interface ListenerOptions {
  /** `dtls` is not allowed. */
  sctp: SctpOptions;
  /** Size of the largest IP packet with SCTP, 576–65535. The caller must subtract the UDP header (RFC 6951 §5.1). */
  mtuBytes: number;
  /** This end's port in the SCTP header. */
  port: number;
  record?: LiveRecording;
}

export interface AssociationOptions extends ListenerOptions {
  peerPort: number;
  /**
   * Determines the verification tag and the initial TSN. The seed must be random if others can send packets to this
   * end.
   */
  seed: number;
}

/**
 * One end of an SCTP association whose peer is on a real network, sans-IO. Whole SCTP packets go in and out, and the
 * caller carries them in UDP (RFC 6951). The caller's clock gives the time and must not run backwards.
 *
 * `new` makes a client's end, and a {@link Listener} makes a server's end. After each call, send what {@link
 * Association.pollTransmit} returns, take {@link Association.pollEvents}, and call {@link Association.handleTimeout} at
 * {@link Association.nextTimeoutNs}. In events and columns 0 is the client and 1 is the server. Errors are those of
 * {@link Simulation}.
 */
export class Association {
  constructor(options: AssociationOptions | string);
  /** Handles a packet. A damaged packet or a packet for another end is ignored. */
  handlePacket(bytes: Uint8Array, nowNs: number): void;
  handleTimeout(nowNs: number): void;
  pollTransmit(nowNs: number): Uint8Array[];
  pollEvents(): AppEvent[];
  /** When to call {@link handleTimeout}; Infinity if no timer is set. */
  readonly nextTimeoutNs: number;
  connect(): void;
  /** See {@link Simulation.send}. */
  send(stream: number, bytes: Uint8Array): boolean;
  /** See {@link Simulation.renew}. */
  renew(stream: number): void;
  bufferedBytes(): number;
  maxMessageInPacketBytes(): number;
  /** Shuts down gracefully. */
  close(): void;
  abort(): void;
  /**
   * The columns of a {@link Simulation}, as far as this end knows them. For a packet that arrived, `sentNs` is the
   * arrival time, because the time of sending is unknown. The fate of a packet that this end sent is unknown.
   */
  packets(): PacketColumns;
  /** A chunk that arrived counts as a `retransmission` if a chunk with the same or a higher number arrived earlier. */
  chunks(): ChunkColumns;
  samples(): SampleColumns;
  blocked(): BlockedColumns;
  free(): void;
}

/**
 * Accepts associations that peers start. It keeps no state for an INIT: the authenticated cookie contains the INIT (RFC
 * 9260 §5.1.3). A cookie is valid for a minute.
 */
export class Listener {
  /** `key` is 64 random bytes, which must stay secret because they authenticate cookies. */
  constructor(options: ListenerOptions | string, key: Uint8Array);
  /**
   * Handles a packet that belongs to no association. `from` identifies the address of its sender; a cookie is valid
   * only from the address to which it was sent. Returns a packet to send to this address, or the new association, which
   * has already handled the packet, or neither.
   */
  handlePacket(from: string, bytes: Uint8Array, nowNs: number): {send?: Uint8Array; association?: Association};
  /**
   * Call this for a packet to an association of this listener, if its first chunk is a COOKIE ECHO. Returns the packet
   * to pass to the association instead. Returns null if this listener did not make the cookie for this sender.
   */
  unsealed(from: string, bytes: Uint8Array): Uint8Array | null;
}

export interface EmulatorOptions {
  /** Seed of the random numbers, 0–2^53 − 1. */
  seed: number;
  path: SimulationOptions['path'];
  /** Other traffic, whose times are relative to the emulator's time 0. None by default. */
  traffic?: TrafficFlow[];
}

/** The data packets of a flow of other traffic, by their fates. */
export interface FlowCounts {
  /** Packets that passed the path. */
  passed: number;
  /** The bytes of the IP packets that passed the path. */
  passedBytes: number;
  /** Packets that were dropped: lost, or dropped by the queue or the policer. */
  dropped: number;
}

/** The numbers of packets of one direction, by their fates. */
export interface EmulatorCounts {
  /** Packets that passed the path. */
  passed: number;
  /** Packets that the loss model dropped. */
  lost: number;
  /**
   * Packets that were dropped because the queue was full, or because the emulator would otherwise have held more than
   * 64 MiB of packets.
   */
  queueFull: number;
  /** Packets that the queue dropped to signal congestion. */
  early: number;
  /** Packets that the policer dropped. */
  policed: number;
  /** Packets that arrived a second time. */
  copied: number;
  /** Packets that the queue marked. Each of them also counts as `passed`, or as `handedOver` if a hand-over lost it. */
  marked: number;
  /** Packets that were dropped because they are larger than the MTU. The loss model does not count them. */
  tooLarge: number;
  /** Packets that a hand-over lost. */
  handedOver: number;
}

/**
 * The emulated path without endpoints, sans-IO. The caller keeps the packets and numbers them. The caller's clock gives
 * the time and must not run backwards. Errors are those of {@link Simulation}.
 */
export class Emulator {
  constructor(options: EmulatorOptions | string);
  /**
   * Offers a packet to the path. `bytes` is the size of the IP packet, `number` is the caller's number for the packet,
   * and `hasData` says whether it has data ({@link LossApplies}). Queues that keep flows apart do so by the number
   * `flow`; `ecn` is the ECN codepoint in the packet's IP header. Returns false if the packet was dropped. Packets that
   * are dropped later, for example at the exit, are accepted here and returned by `pollTransmit`.
   */
  handlePacket(
    direction: Direction,
    bytes: number,
    hasData: boolean,
    number: number,
    nowNs: number,
    flow: number,
    ecn: number,
  ): boolean;
  /**
   * Returns the packets that have arrived by now, in order, with three numbers for each packet: its number, its arrival
   * in ns, and the sum of 1 if a queue marked it (CE) and 2 if it will arrive again. Packets that were accepted and
   * then dropped by now come last, with Infinity as arrival.
   */
  pollTransmit(nowNs: number): Float64Array;
  /**
   * The time of the next call of `pollTransmit`: the earliest time at which the next packet can arrive, or an earlier
   * time at which other traffic must be computed. Infinity if the path holds no packet and other traffic has no more
   * events.
   */
  readonly nextTimeoutNs: number;
  /** Changes one direction now, like {@link Simulation.changeLink}. */
  setLink(direction: Direction, params: LinkParams, nowNs: number): void;
  /**
   * Moves the client now to another path, which has these settings and empty queues. What was in the queues, and what
   * was on its way to the client, is lost, and `pollTransmit` returns it as dropped. Other traffic ends. The caller
   * gives the client another address.
   */
  handOver(down: LinkParams | string, up: LinkParams | string, nowNs: number): void;
  /** Replaces the other traffic. The times of the new flows count from now, and must not be negative. */
  setTraffic(traffic: TrafficFlow[] | string, nowNs: number): void;
  /** The data packets of each flow of the other traffic. */
  trafficCounts(): FlowCounts[];
  /**
   * Restarts the draws of losses and of delays: the next packets get the draws of the first packets of a run with this
   * seed. Other traffic that is set later ({@link setTraffic}) also uses this seed.
   */
  restartLoss(seed: number): void;
  counts(): {down: EmulatorCounts; up: EmulatorCounts};
}

/**
 * The kernel's view of the path of one of its TCP connections. The fields have the meanings of {@link SampleColumns}.
 */
export interface TcpInfo {
  state: number;
  /** Here and in `flightBytes` the kernel counts whole segments. A request of a few bytes counts as a whole segment. */
  cwndBytes: number;
  /** Infinity until the kernel sets it, for example after the first loss. */
  ssthreshBytes: number;
  flightBytes: number;
  /** 0 before the first measurement. */
  srttNs: number;
  rtoNs: number;
  /** How often the retransmission timer has fired; null if the kernel does not count this (Linux before 6.7). */
  timeouts: number | null;
  retransmittedSegments: number;
  /** The delivery rate of the last round trips with data, in bits per second; null before Linux 4.9. */
  deliveryRateBps: number | null;
}

/**
 * Returns the kernel's view of the TCP socket with this file descriptor. Returns null if the descriptor is not an open
 * TCP socket, and on systems other than Linux. Throws `INVALID_ARGUMENT` unless `fd` is a whole number from 0 to 2^31 −
 * 1.
 */
export function tcpInfo(fd: number): TcpInfo | null;

/** The IP packets of a capture file, in order of time. Row i of each column is one packet. */
export interface CaptureColumns {
  /** Time since the first packet. */
  atNs: Float64Array;
  /** Size of the IP packet on the wire. */
  bytes: Uint32Array;
  /** Where the IP packet begins in the file, and how many of its bytes the file has. */
  start: Uint32Array;
  length: Uint32Array;
  /** Which way the packet went at the host that recorded it: 0 if the file does not say it, 1 received, 2 sent. */
  way: Uint8Array;
  /** Indices of the interface's name and of the packet's comment in {@link CaptureTexts.texts}. */
  interface: Uint32Array;
  comment: Uint32Array;
  /** {@link CaptureTexts} as JSON in UTF-8. */
  texts: Uint8Array;
}

export interface CaptureTexts {
  /** The texts that the columns name. The first one is empty. */
  texts: string[];
  /** The program that wrote the file. Empty if the file does not say it. */
  application: string;
  /** The key logs of TLS that the file contains (Decryption Secrets Blocks of pcapng). */
  keys: string;
  /** Sentences for users about what could not be read. */
  notes: string[];
}

/**
 * Reads a capture file, pcapng or pcap, of Ethernet, Linux cooked, PPP, loopback or raw IP. Packets without IP are left
 * out. Throws `INVALID_ARGUMENT` if the bytes are no such file or exceed a limit, such as 400 MB or 2 million packets.
 */
export function readCapture(bytes: Uint8Array): CaptureColumns;

export interface TcpConnectionOptions {
  /** A server accepts the first SYN that it receives. */
  role: 'client' | 'server';
  tcp: TcpOptions;
  /** Size of the largest IP packet with TCP, 576–65535. The caller must subtract the UDP header. */
  mtuBytes: number;
  /** This end's port in the TCP header. */
  port: number;
  peerPort: number;
  /**
   * Determines the initial sequence number. The seed must be random if others can send segments to this end (RFC 9293
   * §3.4.1).
   */
  seed: number;
  record?: LiveRecording;
}

/**
 * One end of a TCP connection whose peer is on a real network, sans-IO. The methods are used like those of an {@link
 * Association}. Whole TCP segments with their headers go in and out, and the caller carries them in UDP. No standard
 * defines this (draft-cheshire-tcp-over-udp-00 has another header), so both ends must be ends of this class. The pseudo
 * header of the checksum (RFC 9293 §3.1) always has 127.0.0.1 as both addresses, so that NAT does not make the checksum
 * wrong.
 */
export class TcpConnection {
  constructor(options: TcpConnectionOptions | string);
  /**
   * Handles a segment. A segment that is damaged or has other ports is ignored. If a segment is outside of the window,
   * its data is dropped, but its acknowledgement counts, and it is answered unless it is a RST.
   */
  handlePacket(bytes: Uint8Array, nowNs: number): void;
  handleTimeout(nowNs: number): void;
  pollTransmit(nowNs: number): Uint8Array[];
  pollEvents(): AppEvent[];
  /** When to call {@link handleTimeout}; Infinity if no timer is set. */
  readonly nextTimeoutNs: number;
  /** Starts a client's handshake. */
  connect(): void;
  /** See {@link Simulation.write}. */
  write(bytes: Uint8Array): number;
  /** Returns all bytes that can be read now. */
  read(): Uint8Array;
  bufferedBytes(): number;
  /** Sends FIN after the buffered bytes. */
  close(): void;
  /** Sends RST. */
  abort(): void;
  /** See {@link Association.packets}. */
  packets(): PacketColumns;
  /**
   * A segment that arrived counts as a `retransmission` if a segment that begins at the same byte or at a later byte
   * arrived earlier.
   */
  chunks(): ChunkColumns;
  samples(): SampleColumns;
  blocked(): BlockedColumns;
  free(): void;
}

export interface TunnelOptions {
  /** IPv4 address of the device in the namespace. Both addresses must be in one /28 network. */
  inside: string;
  /** IPv4 address of the device outside of the namespace. */
  outside: string;
  /** The MTU of both devices, 576–65535. */
  mtuBytes: number;
}

/**
 * A network namespace with a TUN device, and a second TUN device outside of the namespace. This requires Linux and
 * root; on other systems the class is undefined. The packets that the kernel sends to either device are passed to
 * `onPacket`. They reach the other device only if {@link Tunnel.send} is called with them. `up` is the direction out of
 * the namespace. The devices are removed when the tunnel is closed or its process ends in any way, and the namespace is
 * removed once no process runs in it. The constructor throws `INVALID_STATE` if the system refuses.
 */
export class Tunnel {
  constructor(options: TunnelOptions | string, onPacket: (direction: Direction, packet: Uint8Array) => void);
  /**
   * Delivers a whole IPv4 packet to the device at which this direction ends. Returns false if the system does not
   * accept the packet.
   */
  send(direction: Direction, packet: Uint8Array): boolean;
  /** The path of the namespace's file, for nsenter(1) and ip-netns(8). */
  readonly namespacePath: string;
  /** The name of the device outside of the namespace. */
  readonly deviceName: string;
  /** How many packets were dropped because 4096 packets were already waiting for `onPacket`. */
  readonly missed: number;
  /**
   * Removes the devices. Packets that are already waiting may still be passed to `onPacket`. Every later call throws
   * `FREED`.
   */
  close(): void;
}

/** Options of a client's end of QUIC with TLS. */
export interface QuicConnectionOptions {
  /** `resumes` is not allowed. */
  quic: QuicOptions;
  /** Size of the largest IP packet, IPv4 header included, 1228–65535. */
  mtuBytes: number;
  /** SHA-256 of the server's certificate, as 64 hexadecimal digits. No other certificate is accepted. */
  fingerprint: string;
  record?: LiveRecording;
}

export interface QuicListenerOptions {
  quic: QuicOptions;
  mtuBytes: number;
  /** The most bytes, over all streams, that may have arrived here without having been read, 1024–2^30. */
  receiveBytes: number;
  /** The names and addresses in the server's certificate. */
  names: string[];
  record?: LiveRecording;
}

/**
 * One end of a QUIC connection with TLS 1.3 whose peer is on a real network, sans-IO. UDP datagrams go in and out, and
 * the caller's clock gives the time. The ALPN is `h3`. The methods are used like those of an {@link Association}. The
 * columns describe the packets without their encryption.
 */
export class QuicConnection {
  /** `key` is 64 random bytes, which must stay secret because the connection ids are computed from them. */
  constructor(options: QuicConnectionOptions | string, key: Uint8Array);
  /** Handles a datagram. A datagram that is not authentic is ignored. */
  handlePacket(bytes: Uint8Array, nowNs: number): void;
  handleTimeout(nowNs: number): void;
  /**
   * Handles a datagram of a client that may change its address (the option `migration`). The caller numbers the
   * addresses from which the client has sent; the first has the number 0.
   */
  handlePacketFrom(bytes: Uint8Array, nowNs: number, address: number): void;
  pollTransmit(nowNs: number): Uint8Array[];
  /** Like `pollTransmit`, with the number of the address to which each packet goes. */
  pollTransmitTo(nowNs: number): {packets: Uint8Array[]; addresses: number[]};
  /**
   * Tells a client that it has another address. Returns false if the connection cannot follow, because its handshake is
   * not confirmed (RFC 9000 §9).
   */
  changeAddress(nowNs: number): boolean;
  pollEvents(): AppEvent[];
  /** When to call {@link handleTimeout}; Infinity if no timer is set. */
  readonly nextTimeoutNs: number;
  /**
   * The fingerprint of the certificate that the server has shown, even if the certificate was not accepted; null until
   * the server has shown one.
   */
  readonly shownFingerprint: string | null;
  connect(): void;
  /** See {@link Simulation.writeParts}. */
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

/** Accepts QUIC connections that peers start. The constructor makes a new self-signed certificate. */
export class QuicListener {
  /** `key` is 64 random bytes, which must stay secret because they authenticate tokens and stateless resets. */
  constructor(options: QuicListenerOptions | string, key: Uint8Array);
  /** SHA-256 of the certificate, as 64 hexadecimal digits. */
  readonly fingerprint: string;
  /** The certificate in DER. The same server can also use it for TLS over TCP. */
  readonly certificate: Uint8Array;
  /** The private key of the certificate: PKCS #8 in DER. */
  readonly privateKey: Uint8Array;
  /**
   * Handles a datagram that belongs to no connection. `from` identifies the address of its sender. Returns a datagram
   * to send to this address, or the new connection, which has already handled the datagram, or neither. A new
   * connection has a `number`: the connection ids to which the peer sends begin with this number in four bytes, in
   * network order. With `validates` a peer first has to prove that it receives packets at its address (Retry, RFC 9000
   * §8.1.2), and no state is kept until then.
   */
  handlePacket(
    from: string,
    bytes: Uint8Array,
    nowNs: number,
    validates: boolean,
  ): {send?: Uint8Array; connection?: QuicConnection; number?: number};
}
