import type {Conversion} from '../../page/conversion.ts';
import type {Failure} from '../../page/failure.ts';
import type {PipelineName} from '../../pipelines/index.ts';
import type {BlockedColumns, ChunkColumns, PacketColumns, SampleColumns} from './columns.ts';

/** What happened in one pane: plain data that can be copied, saved and compared. Times are ns since its start. */
export interface TraceData {
  readonly pipeline: PipelineName;
  /** As which the page's pictures came; absent: as they are served. */
  readonly conversion?: Conversion;
  readonly outcome: Outcome;
  /** Why it is not complete; null if it is. */
  readonly reason: string | null;
  readonly connections: readonly ConnectionTrace[];
  /** Of all connections. */
  readonly streams: number;
  /** When the client was first connected; null if it never was. */
  readonly setupNs: number | null;
  /** The last thing that happened. */
  readonly endNs: number;
  /** The first is index.html. */
  readonly objects: readonly ObjectTrace[];
  readonly deliveries: DeliveryColumns;
  readonly packets: PacketColumns;
  readonly chunks: ChunkColumns;
  /** Which objects the data of each chunk belongs to. */
  readonly chunkPieces: PieceColumns;
  readonly samples: SampleColumns;
  readonly blocked: BlockedColumns;
  /** Which objects the data of each blocked row belongs to. */
  readonly blockedPieces: PieceColumns;
}

/**
 * `complete`: every object arrived whole, but for those that are missing from the page itself (`isMissing`).
 * `partial`: every object ended, some with a failure. `aborted`: the transport gave up. `time-limit`: objects were
 * still awaited at the scenario's time limit. `work-limit`: they were when the load had taken as many packets, or steps of
 * the simulation, as one may. `loading`: it is live, and more will come. `error`: the program could not compute it, by a
 * fault of its own; there is no trace of it, only what is said of runs.
 */
export type Outcome = 'complete' | 'partial' | 'aborted' | 'time-limit' | 'work-limit' | 'loading' | 'error';

/** One of the pane's connections; columns name it by its endpoints. */
export interface ConnectionTrace {
  readonly client: number;
  readonly server: number;
  /** That its handshake gave, 1 for TCP; 0 if there was none. */
  readonly streams: number;
}

/** One object's load. A time is null if it never came. */
export interface ObjectTrace {
  readonly url: string;
  /** Of the whole body; 0 if it is missing from the page itself. */
  readonly bytes: number;
  /**
   * In the trace's list; null until it was asked for, like `stream`, which is one of that connection's: HTTP/2's own, the
   * transport's with all others.
   */
  readonly connection: number | null;
  readonly stream: number | null;
  readonly discoveredNs: number | null;
  /** When the client wrote the GET to the transport: the papers' req_i. */
  readonly requestNs: number | null;
  /** When the response's header was there. */
  readonly firstByteNs: number | null;
  readonly completeNs: number | null;
  readonly failedNs: number | null;
  readonly failure: Failure | null;
}

/**
 * Row i of each column: body bytes of an object reached the client's application in order, or were shown where they
 * belong before others of it, as C03's pages are. No byte comes twice.
 */
export interface DeliveryColumns {
  readonly object: Uint32Array;
  readonly atNs: Float64Array;
  /** Of this object, in all, with this row. */
  readonly bytes: Float64Array;
  /** Where this row's bytes begin in the body: in order, at what there was of the object before. */
  readonly first: Float64Array;
}

/** Row i of each column: `bytes` of row `row` of another table belong to `object`. In order of `row`. */
export interface PieceColumns {
  readonly row: Uint32Array;
  readonly object: Uint32Array;
  readonly bytes: Uint32Array;
}
