// The columns in which the packets of a run, their data and the states of senders are recorded. They are also the
// contract with the native core: `native/addon/index.d.ts` imports these types.

/**
 * Row i of each column is one packet, in the order of sending. In live and captured loads, a packet that was recorded
 * at its receiver has the time of its arrival as `sentNs`, too.
 */
export interface PacketColumns {
  /** The sending endpoint. */
  endpoint: Uint32Array;
  /** See {@link DIRECTION}. */
  direction: Uint8Array;
  /** Size of the IP packet with its header. */
  bytes: Uint32Array;
  sentNs: Float64Array;
  /**
   * The time when the packet left the queue of the link: its serialisation ended, the queue accepted the packet and
   * dropped it later, or the client moved to another path while the packet was in the queue. NaN if none of these
   * happened, and in live and captured loads.
   */
  leftNs: Float64Array;
  /** See {@link FATE}. */
  fate: Uint8Array;
  /** The time when the packet was delivered or dropped. NaN if `fate` is `inFlight`. */
  fateNs: Float64Array;
  /** The time when a copy of the packet was delivered. NaN if the link made no copy. */
  copyNs: Float64Array;
  /** The ECN codepoint with which the packet was sent. See {@link ECN}. */
  ecn: Uint8Array;
  /** 1 if a queue marked the packet, so that it arrived with the codepoint CE. */
  marked: Uint8Array;
  /** See {@link PACKET_KIND}. */
  kind: Uint8Array;
  /**
   * What the packet acknowledges. TCP: the next byte expected, from 0. SCTP: number of chunks received without a gap.
   * QUIC: 1 + the largest number of an acknowledged 0-RTT or 1-RTT packet. QUIC never sends a packet number again, so
   * a count of packets without a gap would stop at the first lost packet. NaN if the packet acknowledges nothing.
   */
  cumulativeAck: Float64Array;
}

/**
 * Row i of each column is one packet of a flow of other traffic. The rows of each flow are in the order of sending.
 * Packets that were sent before the start of the run have negative times.
 */
export interface TrafficColumns {
  /** Index of the flow in `TrafficTrace.flows`. */
  flow: Uint32Array;
  /** See {@link DIRECTION}. */
  direction: Uint8Array;
  /** Size of the IP packet with its header. */
  bytes: Uint32Array;
  sentNs: Float64Array;
  /** See {@link PacketColumns.leftNs}. */
  leftNs: Float64Array;
  /** See {@link FATE}. */
  fate: Uint8Array;
  /** See {@link PacketColumns.fateNs}. */
  fateNs: Float64Array;
}

/**
 * Row i of each column is one range of data in a packet: the bytes of a TCP segment or UDP datagram, a DATA chunk or a
 * STREAM frame.
 */
export interface ChunkColumns {
  /** Row in {@link PacketColumns}. */
  packet: Uint32Array;
  /**
   * Position of the data, in the unit of the pipeline's `numbers`. TCP and QUIC: offset in the bytes of the stream.
   * SCTP: TSN − initial TSN. UDP: number of the datagram.
   */
  first: Float64Array;
  bytes: Uint32Array;
  stream: Uint32Array;
  /** SCTP: number of the message in its stream. UDP: number of the datagram. TCP and QUIC: 0. */
  message: Uint32Array;
  retransmission: Uint8Array;
}

/** Row i of each column is the state of an endpoint's sender. There is one row for each change. */
export interface SampleColumns {
  atNs: Float64Array;
  endpoint: Uint32Array;
  cwndBytes: Float64Array;
  /**
   * Infinity until the sender sets it for the first time. Usually the first loss sets it, but so can other events: a
   * mark (ECN), the end of slow start by HyStart, or an idle time.
   */
  ssthreshBytes: Float64Array;
  flightBytes: Float64Array;
  /** 0 before the first measurement. */
  srttNs: Float64Array;
  rtoNs: Float64Array;
  /** See {@link SENDER_STATE}. */
  state: Uint8Array;
  /**
   * How often the retransmission timer of data or of the handshake has fired so far. For QUIC: 0, because it has no
   * such timer.
   */
  timeouts: Uint32Array;
  /** Number of tail loss probes sent so far (RFC 8985 §7). For QUIC: number of probe timeouts (RFC 9002 §6.2). */
  probes: Uint32Array;
}

/** Row i of each column is data that had arrived at a host but waited for earlier data of its stream. */
export interface BlockedColumns {
  /** The receiving endpoint. */
  endpoint: Uint32Array;
  stream: Uint32Array;
  /** See {@link ChunkColumns.first}. */
  first: Float64Array;
  bytes: Uint32Array;
  startNs: Float64Array;
  /** NaN if the data still waits. */
  endNs: Float64Array;
}

/** `down` is from server to client. */
export const DIRECTION = {down: 0, up: 1} as const;

/**
 * `inFlight` packets were in a queue or being serialised when the run ended or, in live and captured loads, are not
 * known to have arrived. `delivered` packets arrive at `fateNs`, which can be after the end of the run. `lost` packets
 * were dropped by the loss model or by the pane's setting `drop`, `queueFull` ones by the full queue, `early` ones by a
 * queue that signals congestion before it is full, and `policed` ones by the policer. `handedOver` ones were lost
 * because the client moved to another path: at this time they were in a queue of the old path or on their way to the
 * client, or they were sent on the old path later.
 */
export const FATE = {inFlight: 0, delivered: 1, lost: 2, queueFull: 3, early: 4, policed: 5, handedOver: 6} as const;

/** The ECN field of an IP header (RFC 3168 §5). `ect1` is also the identifier of L4S (RFC 9331). */
export const ECN = {notEct: 0, ect1: 1, ect0: 2, ce: 3} as const;

/** `acknowledgement` is a packet that only acknowledges, and `control` is any other control packet. */
export const PACKET_KIND = {setUp: 0, data: 1, acknowledgement: 2, close: 3, abort: 4, control: 5} as const;

/**
 * Row i states that packet `packet` reported a gap to its receiver: data up to `end` had arrived, but earlier data had
 * not.
 */
export interface GapReportColumns {
  packet: Uint32Array;
  /** Position of data, see `ChunkColumns.first`. */
  end: Float64Array;
}

/** The state of an endpoint's congestion control. */
export const SENDER_STATE = {
  connecting: 0,
  slowStart: 1,
  congestionAvoidance: 2,
  fastRecovery: 3,
  lossRecovery: 4,
  closed: 5,
} as const;
