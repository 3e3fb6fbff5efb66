import type {Congestion} from '../http/congestion.ts';
import type {Connection} from '../http/transports.ts';
import type {NetworkCalls} from '../run/load/loadNetwork.ts';
import type {BlockedColumns, ChunkColumns, PacketColumns, SampleColumns, TrafficColumns} from '../run/trace/columns.ts';

// This file declares the part of the native core that is needed to load in virtual time. The addon (native/addon) and
// the WebAssembly module (native/wasm) both provide this part. `native/addon/index.d.ts` documents the functions, and
// imports the types of links and options from here.

/** A native core. */
export interface Native {
  readonly Simulation: new (options: string) => NativeSimulation;
}

/** A path with the transports on it. Options are given as JSON, which is faster than objects. */
export interface NativeSimulation
  extends Omit<NetworkCalls, 'addPath' | 'openTcp' | 'openSctp' | 'openUdp' | 'openQuic' | 'abort' | Tables> {
  addPath(path: string): number;
  addPage(): number;
  openTcp(options: string): Connection;
  openSctp(options: string): Connection;
  openUdp(page?: number): Connection;
  openQuic(options: string): Connection;
  packets(page?: number): PacketColumns;
  chunks(page?: number): ChunkColumns;
  samples(page?: number): SampleColumns;
  blocked(page?: number): BlockedColumns;
  traffic(): TrafficColumns;
  finish(endpoint: number, stream: number): void;
  reset(endpoint: number, stream: number, code: number): void;
  abort(endpoint: number): void;
  setPriority(endpoint: number, stream: number, priority: number): void;
  changeLink(atNs: number, direction: Direction, params: LinkParams): void;
  canChangeAddress(endpoint: number): boolean;
  handOver(down: string, up: string): void;
  setDrops(direction: Direction, drops: Drops, page?: number): void;
  advanceInto(untilNs: number, into: Uint8Array): number;
  pcapng(application?: string, page?: number): Uint8Array;
  free(): void;
}

type Tables = 'packets' | 'chunks' | 'samples' | 'blocked' | 'traffic';

/** A direction of the path. `down` is server → client. */
export type Direction = 'down' | 'up';

/**
 * Which packets draw a fate, that is, which packets the loss model may lose; `all` by default. With `data`, only
 * packets with data draw a fate: TCP segments with payload, SCTP packets with DATA chunks, QUIC packets with data of
 * streams, and bare UDP datagrams. The k-th packet with data of a direction then has the same fate on every path with
 * the same seed. Packets without data always pass and do not change the state of the loss model. A path that forwards
 * real packets cannot see what QUIC packets contain, so there all of them count as packets with data.
 */
export type LossApplies = 'all' | 'data';

/**
 * Where packets are lost. `entry` (the default) is before the queue, as in dummynet: a lost packet uses neither space
 * in the queue nor time of serialisation. `exit` is after serialisation: a lost packet has used both, and packets that
 * the queue drops draw no fate.
 */
export type LossAt = 'entry' | 'exit';

export type LossModel = (
  | {model: 'none'}
  | {model: 'bernoulli'; rate: number}
  /**
   * Four probabilities, 0–1 (netem's `gemodel`). `p`: the state changes from good to bad. `r`: the state changes from
   * bad to good. `h`: a packet passes in the bad state. `k`: a packet passes in the good state.
   */
  | {model: 'gilbert-elliott'; p: number; r: number; h: number; k: number}
  /** Loses exactly the packets with these numbers. Packets that draw a fate are counted from 0 in each direction. */
  | {model: 'list'; packets: number[]}
) & {applies?: LossApplies; at?: LossAt};

/**
 * Packets of one direction that are lost in addition to those that the loss model loses. `packets` has their numbers,
 * and `applies` says which packets are counted.
 */
export interface Drops {
  packets: readonly number[];
  applies?: LossApplies;
}

/**
 * How the capacity of a link changes. With `opportunities`, the link can deliver 1504 bytes at certain times, and each
 * packet counts as 4 bytes larger than it is. The text has the gaps between these times. The first gap begins at 0. A
 * gap of 0 to 56 ms is one of the characters from `#` to `[`, and each `]` before this character adds 57 ms. With
 * `rates`, the numbers are times in ns from 0, each followed by the rate in bits per second from then on.
 */
export type CapacityTrace = ({opportunities: string} | {rates: number[]; periodNs: number}) & Following;

/** How the delay of a link changes. `delaysNs` has times in ns from 0, each followed by the delay from then on. */
export type DelayTrace = {delaysNs: number[]; periodNs: number} & Following;

/** How a link follows a trace. */
interface Following {
  /** The time in the trace at which the run starts. It is less than the trace's length. */
  startNs: number;
  /**
   * Whether the trace is repeated. If it is not, the link has its `rateBps`, or its `delayNs`, after the trace's end.
   */
  repeats: boolean;
}

/** The discipline of a queue. Settings that are absent have the defaults of its RFC. Times are 1–10^10 ns. */
export type QueueParams =
  | {kind: 'droptail'}
  | ({kind: 'codel'} & CoDel)
  | ({kind: 'fq_codel'; flows?: number; quantumBytes?: number} & CoDel)
  | {kind: 'pie'; targetNs?: number; updateNs?: number; marks?: boolean}
  | {kind: 'dualpi2'; targetNs?: number; stepNs?: number; marks?: boolean};

interface CoDel {
  targetNs?: number;
  intervalNs?: number;
  /** Whether packets of transports that use ECN are marked instead of dropped; true by default. */
  marks?: boolean;
  /**
   * A packet that has waited longer than this is marked if its transport uses ECN. Absent if there is no such limit.
   */
  markFromNs?: number;
}

export interface LinkParams {
  /** Rate in bits per second, 1–10^12. With a trace it is the rate after the trace's end. */
  rateBps: number;
  trace?: CapacityTrace;
  /** Propagation delay in ns, 0–3.6·10^12. With a trace of the delay it is the delay after the trace's end. */
  delayNs: number;
  delayTrace?: DelayTrace;
  jitter?: {spreadNs: number; distribution: 'uniform' | 'normal' | 'pareto'; correlation?: number; inOrder?: boolean};
  /**
   * Packets that arrive without delay, and so overtake others. Between two of these there are at least `gap` − 1 other
   * packets; `gap` is 1 by default. Probabilities are 0–1.
   */
  reorder?: {rate: number; correlation?: number; gap?: number};
  /** Packets that arrive twice. */
  duplicate?: {rate: number; correlation?: number};
  /** A token bucket in front of the queue. */
  policer?: {rateBps: number; burstBytes: number};
  loss: LossModel;
  /** The discipline of the queue; drop-tail by default. */
  queue?: QueueParams;
  /** The queue's limit in packets, at least 1. The packet that is being serialised counts. */
  queuePackets: number;
  /** The queue's limit in bytes of IP packets, at least 1. By default there is no limit. */
  queueBytes?: number;
}

/**
 * A flow of other traffic on the path. The direction is that of its data. Times are in ns since the start of the run;
 * negative times are before the start. A flow starts up to 100 ms after `startNs`, at a time that depends on the seed,
 * and sends no new data from `endNs` on. Without `endNs` it never ends.
 */
export type TrafficFlow = {direction: Direction; startNs: number; endNs?: number} & (
  | {
      /** A TCP connection of the profile `modern` whose sender always has more to send. It begins with slow start. */
      kind: 'tcp';
      congestion: Congestion;
    }
  | {
      /** UDP datagrams at regular intervals. At most a million packets a second. */
      kind: 'cbr';
      /** Rate in bits per second. All bytes of the IP packets count. */
      rateBps: number;
      /** Size of the IP packets, from 28 to the path's MTU. */
      packetBytes: number;
    }
);

export interface SimulationOptions {
  /** Seed of the random numbers, 0–2^53 − 1. */
  seed: number;
  /** `mtuBytes` is the size of the largest IP packet, 576–65535. */
  path: {down: LinkParams; up: LinkParams; mtuBytes: number};
  /**
   * What is recorded; nothing by default. `bytes` records the bytes of packets, which {@link NativeSimulation.pcapng}
   * writes. It requires `packets`.
   */
  record?: {packets?: boolean; samples?: boolean; bytes?: boolean};
  /**
   * Limits of the run, at least 1 each; by default there are none. `packets` limits the packets that are offered to a
   * path, and those that arrive immediately because a handshake takes no time (`freeSetUp`). `steps` limits arrivals,
   * departures, timers, changes of the path, and calls of `advance` and `advanceInto`. A run that has reached a limit
   * does not continue; {@link NativeSimulation.advanceInto} reports the limit.
   */
  limits?: {packets: number; steps: number};
  /** The flows of other traffic, by default none. They share the queues of the path. */
  traffic?: TrafficFlow[];
}

/** Why an endpoint ended. */
export type CloseReason =
  /** Both ends closed and everything was acknowledged. */
  | 'finished'
  /** This end aborted. */
  | 'local-abort'
  /** The peer aborted. */
  | 'peer-abort'
  /** The handshake was not answered. */
  | 'connect-timeout'
  /** Data was not acknowledged in time. */
  | 'data-timeout'
  /** The peer violated the protocol. */
  | 'protocol-violation';
