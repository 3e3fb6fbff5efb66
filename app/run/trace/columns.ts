// Columns as the native core records them: `native/addon/index.d.ts` is the contract that they mirror.

/** Row i of each column is one packet, in the order of sending. */
export interface PacketColumns {
  /** The sending endpoint. */
  endpoint: Uint32Array;
  /** {@link DIRECTION}. */
  direction: Uint8Array;
  /** IP packet, header included. */
  bytes: Uint32Array;
  sentNs: Float64Array;
  /** {@link FATE}. */
  fate: Uint8Array;
  /** When it was delivered or dropped; NaN while in flight. */
  fateNs: Float64Array;
  /** 0 set-up, 1 data, 2 acknowledgement only, 3 close, 4 abort, 5 other control. */
  kind: Uint8Array;
  /** TCP: next byte expected, from 0. SCTP: chunks received without a gap. NaN if it acknowledges nothing. */
  cumulativeAck: Float64Array;
}

/** Row i of each column is a TCP segment's bytes or one DATA chunk. */
export interface ChunkColumns {
  /** Row in {@link PacketColumns}. */
  packet: Uint32Array;
  /** Of the sender, by its pipeline's `numbers`. TCP: offset in the byte stream. SCTP: TSN − initial TSN. */
  first: Float64Array;
  bytes: Uint32Array;
  stream: Uint32Array;
  /** SCTP: number of the message in its stream. TCP: 0. */
  message: Uint32Array;
  retransmission: Uint8Array;
}

/** Row i of each column is an endpoint's view of the path, one row per change. */
export interface SampleColumns {
  atNs: Float64Array;
  endpoint: Uint32Array;
  cwndBytes: Float64Array;
  /** Infinity before the first loss. */
  ssthreshBytes: Float64Array;
  flightBytes: Float64Array;
  /** 0 before the first measurement. */
  srttNs: Float64Array;
  rtoNs: Float64Array;
  /** 0 connecting, 1 slow start, 2 congestion avoidance, 3 fast recovery, 4 loss recovery, 5 closed. */
  state: Uint8Array;
  /**
   * How often the retransmission timer of data or handshake has fired by then, and tail loss probes were sent; of QUIC,
   * which has no such timer, probe timeouts alone (RFC 9002 §6.2).
   */
  timeouts: Uint32Array;
  probes: Uint32Array;
}

/** Row i of each column is data that had arrived at a host but waited for earlier data of its stream. */
export interface BlockedColumns {
  /** The receiving endpoint. */
  endpoint: Uint32Array;
  stream: Uint32Array;
  /** As {@link ChunkColumns.first}. */
  first: Float64Array;
  bytes: Uint32Array;
  startNs: Float64Array;
  /** NaN if it still waits. */
  endNs: Float64Array;
}

/** `down` is server → client. */
export const DIRECTION = {down: 0, up: 1} as const;

export const FATE = {inFlight: 0, delivered: 1, lost: 2, queueFull: 3} as const;
