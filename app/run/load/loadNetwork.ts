import type {TransportEvent, Transports} from '../../http/transports.ts';
import type {BlockedColumns, ChunkColumns, PacketColumns, SampleColumns} from '../trace/columns.ts';
import type {TrafficTrace} from '../trace/traceData.ts';

/**
 * A network in virtual time, as the native core provides it (`native/addon/index.d.ts` has the full contract). Each
 * load has its own. Times are in ns since the start of the run.
 */
export interface Network extends NetworkCalls {
  /** Runs until an application has events, or until `untilNs` if it has none before. Returns the events. */
  advance(untilNs: number): readonly TransportEvent[];
  /** The limit that the load has reached. Reaching a limit ends the load. Null as long as none is reached. */
  readonly exhausted: Exhausted | null;
}

/**
 * Limits of a load: packets sent, and steps of the network and of the load. With them, every valid scenario ends within
 * some seconds and needs at most some hundred megabytes.
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
 * A real network, which runs in real time. Only the clients are on this machine, so the server endpoints receive no
 * events and write nothing.
 */
export interface LiveNetwork extends NetworkCalls {
  /** Waits until an application has events, or until `untilNs` if it has none before. Returns the events. */
  advance(untilNs: number): Promise<readonly TransportEvent[]>;
}

/** The functions that both kinds of network share. */
export interface NetworkCalls extends Omit<Transports, 'write' | 'writeStreams' | 'send'> {
  write(endpoint: number, stream: number, bytes: Uint8Array): number;
  /**
   * Like `Transports.writeStreams`. `parts` holds three numbers for each piece: its stream, its size, and 1 if it ends
   * the stream, otherwise 0. `bytes` holds the contents of all pieces, one after the other.
   */
  writeParts(endpoint: number, parts: Uint32Array, bytes: Uint8Array): number;
  send(endpoint: number, stream: number, bytes: Uint8Array): boolean;
  readonly nowNs: number;
  packets(): PacketColumns;
  chunks(): ChunkColumns;
  samples(): SampleColumns;
  blocked(): BlockedColumns;
  /** Ends a connection now. A network without hand-overs need not have this function. */
  abort?(endpoint: number): void;
  /**
   * Whether a client's connection would follow the client to another path now. If this function is absent, no
   * connection would.
   */
  canChangeAddress?(endpoint: number): boolean;
  /** The other traffic of the path. Undefined if there is none. */
  traffic?(): TrafficTrace | undefined;
}
