import type {BlockedColumns, ChunkColumns, PacketColumns, SampleColumns} from '../trace/columns.ts';

/**
 * The host's network in virtual time, as the native core offers it (`native/addon/index.d.ts` has the full
 * contract). One run drives one network; times are ns since the run's start.
 */
export interface Network {
  readonly nowNs: number;
  openTcp(options: {client: TcpEndOptions; server: TcpEndOptions}): {client: number; server: number};
  openSctp(options: {client: SctpEndOptions; server: SctpEndOptions}): {client: number; server: number};
  connect(endpoint: number): void;
  /** TCP: gives the number of bytes taken. */
  write(endpoint: number, stream: number, bytes: Uint8Array): number;
  read(endpoint: number, stream: number): Uint8Array;
  /** SCTP: takes the message whole, or gives false. */
  send(endpoint: number, stream: number, bytes: Uint8Array): boolean;
  bufferedBytes(endpoint: number): number;
  /** The congestion window now. */
  cwndBytes(endpoint: number): number;
  /** SCTP: the largest message that travels as one chunk in one packet. */
  maxMessageInPacketBytes(endpoint: number): number;
  /** Runs to the next instant at which an application is told something, or to `untilNs`. */
  advance(untilNs: number): readonly NetworkEvent[];
  packets(): PacketColumns;
  chunks(): ChunkColumns;
  samples(): SampleColumns;
  blocked(): BlockedColumns;
}

export interface TcpEndOptions {
  profile: 'classic' | 'modern' | 'reno';
  sendBufferBytes?: number;
  receiveBufferBytes?: number;
}

export interface SctpEndOptions {
  profile: 'classic' | 'modern';
  streams: number;
  scheduler?: 'round-robin' | 'first-come';
  sendBufferBytes?: number;
}

/** What an application is told. */
export type NetworkEvent =
  | {endpoint: number; type: 'connected'; streams: number}
  | {endpoint: number; type: 'readable'; stream: number}
  | {endpoint: number; type: 'message'; stream: number; bytes: Uint8Array}
  | {endpoint: number; type: 'writable'}
  | {endpoint: number; type: 'peer-closed'}
  | {endpoint: number; type: 'closed'; reason: string};
