import type {TransportEvent, Transports} from '../../http/transports.ts';
import type {BlockedColumns, ChunkColumns, PacketColumns, SampleColumns} from '../trace/columns.ts';

/**
 * The host's network in virtual time, as the native core offers it (`native/addon/index.d.ts` has the full
 * contract). One run drives one network; times are ns since the run's start.
 */
export interface Network extends NetworkCalls {
  /** Runs to the next instant at which an application is told something, or to `untilNs`. */
  advance(untilNs: number): readonly TransportEvent[];
  /** The limit that the run has come to: then it does not go on. */
  readonly exhausted: Exhausted | null;
}

/**
 * The most that a load may take, so that every valid scenario ends with an outcome, in some seconds and some hundred
 * megabytes: packets that are sent, and steps of the network and of the load.
 */
export interface RunLimits {
  readonly packets: number;
  readonly steps: number;
}

export interface Exhausted {
  readonly what: keyof RunLimits;
  readonly limit: number;
}

/**
 * A real network, whose time is a clock's. Of connections only the clients' ends are here: servers are told nothing, and
 * have written nothing.
 */
export interface LiveNetwork extends NetworkCalls {
  /** Waits for the next thing that an application is told, or for `untilNs`. */
  advance(untilNs: number): Promise<readonly TransportEvent[]>;
}

/** What both can do. */
export interface NetworkCalls extends Omit<Transports, 'write' | 'writeStreams' | 'send'> {
  write(endpoint: number, stream: number, bytes: Uint8Array): number;
  /** Of each part its stream, its bytes, which stand one behind the other, and 1 where nothing follows on the stream. */
  writeParts(endpoint: number, parts: Uint32Array, bytes: Uint8Array): number;
  send(endpoint: number, stream: number, bytes: Uint8Array): boolean;
  readonly nowNs: number;
  packets(): PacketColumns;
  chunks(): ChunkColumns;
  samples(): SampleColumns;
  blocked(): BlockedColumns;
}
