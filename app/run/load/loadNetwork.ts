import type {TransportEvent, Transports} from '../../http/transports.ts';
import type {BlockedColumns, ChunkColumns, PacketColumns, SampleColumns} from '../trace/columns.ts';

/**
 * The host's network in virtual time, as the native core provides it (`native/addon/index.d.ts` has the full contract).
 * One run drives one network. Times are in ns since the start of the run.
 */
export interface Network extends NetworkCalls {
  /** Runs to the next event for an application, or to `untilNs`. */
  advance(untilNs: number): readonly TransportEvent[];
  /** The limit that the run has reached, which ends it. Null before that. */
  readonly exhausted: Exhausted | null;
}

/**
 * Limits of a load: packets sent, and steps of the network and of the load. They make every valid scenario end within
 * some seconds and some hundred megabytes.
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
 * A real network, whose time is a clock's. Only the clients' ends of connections are here. Servers receive no events
 * and write nothing.
 */
export interface LiveNetwork extends NetworkCalls {
  /** Waits for the next event for an application, or for `untilNs`. */
  advance(untilNs: number): Promise<readonly TransportEvent[]>;
}

/** The functions that both kinds of network share. */
export interface NetworkCalls extends Omit<Transports, 'write' | 'writeStreams' | 'send'> {
  write(endpoint: number, stream: number, bytes: Uint8Array): number;
  /**
   * Each part is three numbers: its stream, its size, and 1 if nothing follows on the stream. `bytes` holds the parts
   * in a row.
   */
  writeParts(endpoint: number, parts: Uint32Array, bytes: Uint8Array): number;
  send(endpoint: number, stream: number, bytes: Uint8Array): boolean;
  readonly nowNs: number;
  packets(): PacketColumns;
  chunks(): ChunkColumns;
  samples(): SampleColumns;
  blocked(): BlockedColumns;
}
