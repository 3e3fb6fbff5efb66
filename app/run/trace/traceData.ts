import type {BrowserName} from '../../browsers/list.ts';
import type {Conversion} from '../../page/conversion.ts';
import {type Failure, isMissing} from '../../page/failure.ts';
import type {PipelineName} from '../../pipelines/index.ts';
import type {ServerName} from '../../servers/list.ts';
import type {
  BlockedColumns,
  ChunkColumns,
  GapReportColumns,
  PacketColumns,
  SampleColumns,
  TrafficColumns,
} from './columns.ts';

/**
 * What happened in one pane, as plain data that can be copied, saved and compared. Times are in ns since the start of
 * the run.
 */
export interface TraceData extends TraceModels {
  readonly pipeline: PipelineName;
  /** The conversion of the page's pictures. Absent if they were served unchanged. */
  readonly conversion?: Conversion;
  readonly outcome: Outcome;
  /** Why the load is incomplete. Null if it is complete, or if it is live and still under way. */
  readonly reason: string | null;
  readonly connections: readonly ConnectionTrace[];
  /** Number of streams over all connections. */
  readonly streams: number;
  /** The time from which the client's first connection could carry requests. Null if no connection ever could. */
  readonly setupNs: number | null;
  /**
   * The time when the last object ended. If the load followed a recording or was captured, and the document was loaded
   * or its scripts had run only after this time, that later time. If some objects never ended, the time of the last
   * event. Packets of a complete load can be sent and arrive after `endNs`.
   */
  readonly endNs: number;
  /** When the page was painted and loaded. Absent if the load does not show this, and in traces of older programs. */
  readonly milestones?: Milestones;
  /** All objects of the page. The first one is index.html. */
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
  /**
   * The gaps that receivers reported, if the trace is from a capture that does not show when the data arrived. Absent
   * in other traces, and if no gap was reported.
   */
  readonly gapReports?: GapReportColumns;
  /** Other traffic that shared the path. Absent if there was none. */
  readonly traffic?: TrafficTrace;
}

/** Times of a page's load, which are null if they were never reached. */
export interface Milestones {
  /** First Contentful Paint: the first text or picture is painted (Paint Timing). */
  readonly fcpNs: number | null;
  /** Largest Contentful Paint: the largest text or picture of the first screen is painted. */
  readonly lcpNs: number | null;
  /** The number of the picture that is painted at `lcpNs`. Null if a text is painted then, or if `lcpNs` is null. */
  readonly lcpObject: number | null;
  /** DOMContentLoaded: the HTML is parsed, and its deferred scripts have run. */
  readonly dclNs: number | null;
  /** The load event: everything that the document loads has ended, except for lazy pictures. */
  readonly loadNs: number | null;
  /**
   * For each insertion into the page that the page's recording has: the time at which a script made this insertion in
   * the load, or null if none did. Absent if the load followed no recording.
   */
  readonly insertedNs?: readonly (number | null)[];
}

/**
 * The browser and the server whose behaviour the load imitated. Each is absent if the load imitated no real program
 * (`plain`).
 */
export interface TraceModels {
  readonly browser?: BrowserName;
  readonly server?: ServerName;
}

/** The flows of other traffic, and their packets. */
export interface TrafficTrace {
  readonly flows: readonly FlowTrace[];
  readonly packets: TrafficColumns;
}

/** A flow of other traffic. `direction` is that of its data. */
export type FlowTrace =
  | {readonly kind: 'tcp'; readonly direction: 'down' | 'up'; readonly congestion: string}
  | {readonly kind: 'cbr'; readonly direction: 'down' | 'up'; readonly rateBps: number}
  /** The page load of another pane, which has packets in both directions. */
  | {readonly kind: 'page'; readonly pane: number; readonly pipeline: PipelineName};

/**
 * `complete`: every object arrived whole, except those that a complete load lacks ({@link isLeftOut}). `partial`: no
 * object is awaited any more, but some failed. `aborted`: the transport gave up. `time-limit`: objects were still
 * awaited at the scenario's time limit. `work-limit`: objects were still awaited when the load reached its limit of
 * packets or simulation steps. `loading`: the load is live, and more data will come. `error`: the program failed to
 * compute the load because of a bug. Such a load has no trace; only summaries of runs mention it.
 */
export type Outcome = 'complete' | 'partial' | 'aborted' | 'time-limit' | 'work-limit' | 'loading' | 'error';

/** One of the pane's connections. Columns refer to it by its endpoints. */
export interface ConnectionTrace {
  readonly client: number;
  readonly server: number;
  /**
   * The number of streams that the handshake agreed on: 1 for TCP. 0 if no handshake was completed, or if the client did
   * not need the connection.
   */
  readonly streams: number;
  /** The origin that the connection leads to. Absent if the page has only one, or if the load treated all as one. */
  readonly origin?: string;
  /** Set if the connection carries only requests without credentials, which the browser keeps apart from the others. */
  readonly isAnonymous?: boolean;
}

/** The load of one object. A time is null if its event never happened. */
export interface ObjectTrace {
  readonly url: string;
  /**
   * Size of the whole body. 0 if the object is missing in every pane (`isMissing`), or if the load is complete
   * although the browser never requested the object ({@link isLeftOut}).
   */
  readonly bytes: number;
  /**
   * Index of the connection in `TraceData.connections`. If a hand-over caused requests on several connections, this is
   * the last of them. Null if the object was not requested.
   */
  readonly connection: number | null;
  /**
   * Number of the stream on the connection: the HTTP/2 stream with HTTP/2, the transport's stream otherwise. Null if
   * the object was not requested.
   */
  readonly stream: number | null;
  readonly discoveredNs: number | null;
  /** The time when the client first wrote the GET to the transport: req_i in the papers. */
  readonly requestNs: number | null;
  /** The time when the response's whole header had arrived. */
  readonly firstByteNs: number | null;
  readonly completeNs: number | null;
  readonly failedNs: number | null;
  readonly failure: Failure | null;
}

/**
 * Whether a complete load lacks this object. That is so if the object is missing in every pane (`isMissing`), or
 * if the browser had no reason to request it. An example is a lazy picture far below the screen.
 */
export function isLeftOut({failure, discoveredNs}: Pick<ObjectTrace, 'failure' | 'discoveredNs'>): boolean {
  return isMissing(failure) || (discoveredNs === null && failure === null);
}

/**
 * Row i of each column is one delivery of body bytes to the client's application. The bytes of an object are delivered
 * in order, unless the page can show them out of order, as over bare datagrams (paper C03). No byte is delivered twice.
 */
export interface DeliveryColumns {
  readonly object: Uint32Array;
  readonly atNs: Float64Array;
  /** Bytes of this object delivered so far, including this row. */
  readonly bytes: Float64Array;
  /** Offset of this row's bytes in the body. If the object arrives in order, this is the previous total. */
  readonly first: Float64Array;
}

/**
 * Row i of each column states that `bytes` bytes of row `row` in another table belong to `object`. Rows are in order of
 * `row`.
 */
export interface PieceColumns {
  readonly row: Uint32Array;
  readonly object: Uint32Array;
  readonly bytes: Uint32Array;
}
