import type {Conversion} from '../../page/conversion.ts';
import type {Failure} from '../../page/failure.ts';
import type {PipelineName} from '../../pipelines/index.ts';
import type {BlockedColumns, ChunkColumns, PacketColumns, SampleColumns} from './columns.ts';

/** What happened in one pane, as plain data that can be copied, saved and compared. Times are in ns since its start. */
export interface TraceData {
  readonly pipeline: PipelineName;
  /** The conversion of the page's pictures. Absent if they were served unchanged. */
  readonly conversion?: Conversion;
  readonly outcome: Outcome;
  /** Why the load is incomplete. Null if it is complete. */
  readonly reason: string | null;
  readonly connections: readonly ConnectionTrace[];
  /** Number of streams over all connections. */
  readonly streams: number;
  /** When the client was first connected. Null if it never was. */
  readonly setupNs: number | null;
  /** When the last event happened. */
  readonly endNs: number;
  /** The first is index.html. */
  readonly objects: readonly ObjectTrace[];
  readonly deliveries: DeliveryColumns;
  readonly packets: PacketColumns;
  readonly chunks: ChunkColumns;
  /** The objects that the data of each chunk belong to. */
  readonly chunkPieces: PieceColumns;
  readonly samples: SampleColumns;
  readonly blocked: BlockedColumns;
  /** The objects that the data of each blocked row belong to. */
  readonly blockedPieces: PieceColumns;
}

/**
 * `complete`: every object arrived whole, except those that are missing from the page itself (`isMissing`). `partial`:
 * every object ended, some with a failure. `aborted`: the transport gave up. `time-limit`: objects were still awaited
 * at the scenario's time limit. `work-limit`: objects were still awaited when the load reached its limit of packets or
 * simulation steps. `loading`: the load is live, and more data will come. `error`: the program failed to compute the
 * load because of a bug. Such a load has no trace; only summaries of runs mention it.
 */
export type Outcome = 'complete' | 'partial' | 'aborted' | 'time-limit' | 'work-limit' | 'loading' | 'error';

/** One of the pane's connections. Columns refer to it by its endpoints. */
export interface ConnectionTrace {
  readonly client: number;
  readonly server: number;
  /** The number of streams that its handshake agreed on: 1 for TCP, 0 if there was no handshake. */
  readonly streams: number;
}

/** The load of one object. A time is null if it was never reached. */
export interface ObjectTrace {
  readonly url: string;
  /** Size of the whole body. 0 if the object is missing from the page itself. */
  readonly bytes: number;
  /**
   * Index in the trace's list of connections. It is null until the object was requested, and so is `stream`. A stream
   * belongs to that connection: it is HTTP/2's own stream, or the transport's for all other pipelines.
   */
  readonly connection: number | null;
  readonly stream: number | null;
  readonly discoveredNs: number | null;
  /** When the client wrote the GET to the transport: req_i in the papers. */
  readonly requestNs: number | null;
  /** When the response's header had arrived. */
  readonly firstByteNs: number | null;
  readonly completeNs: number | null;
  readonly failedNs: number | null;
  readonly failure: Failure | null;
}

/**
 * Row i of each column: body bytes of an object reached the client's application in order, or could be shown out of
 * order, as in C03's pages. No byte is delivered twice.
 */
export interface DeliveryColumns {
  readonly object: Uint32Array;
  readonly atNs: Float64Array;
  /** Total bytes of this object, including this row. */
  readonly bytes: Float64Array;
  /** Offset of this row's bytes in the body. If the object arrives in order, this is the previous total. */
  readonly first: Float64Array;
}

/** Row i of each column: `bytes` of row `row` of another table belong to `object`. Rows are in order of `row`. */
export interface PieceColumns {
  readonly row: Uint32Array;
  readonly object: Uint32Array;
  readonly bytes: Uint32Array;
}
