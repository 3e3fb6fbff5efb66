import type {Connection} from '../../http/transports.ts';
import {isMissing} from '../../page/failure.ts';
import type {Page} from '../../page/page.ts';
import {type Pane, pipelineOf} from '../../pipelines/index.ts';
import type {WriteLog} from '../../pipelines/writeLog.ts';
import type {BlockedColumns, ChunkColumns, PacketColumns, SampleColumns} from '../trace/columns.ts';
import {
  isLeftOut,
  type Milestones,
  type ObjectTrace,
  type Outcome,
  type TraceData,
  type TraceModels,
  type TrafficTrace,
} from '../trace/traceData.ts';
import {attributeBlocked, attributeChunks} from './attribution.ts';
import type {ObjectEvent} from './pageLoader.ts';

/** Records the events of a load while it runs. {@link TraceRecorder.finish} returns the trace. */
export class TraceRecorder {
  readonly #pane: Pane;
  readonly #models: TraceModels;
  readonly #connections: RecordedConnection[] = [];
  readonly #objects: MutableObject[];
  readonly #connectionOf = new Map<number, number>();
  readonly #object: number[] = [];
  readonly #atNs: number[] = [];
  readonly #bytes: number[] = [];
  readonly #first: number[] = [];
  #setupNs: number | null = null;
  /** For each client and stream, the object requested last. */
  readonly #asked = new Map<number, Map<number, number>>();
  /** For each object: its HTTP/2 stream. TCP does not know this stream. */
  readonly #ownStreams = new Map<number, number>();

  constructor(pane: Pane, page: Page, models: TraceModels = {}) {
    this.#pane = pane;
    this.#models = models;
    this.#objects = page.objects.map(object => newObject(object.url, object.body?.length ?? 0));
  }

  /** Adds the connections of an exchange. Call this before they are used. */
  addConnections(
    connections: readonly Connection[],
    placeOf: (connection: number) => ConnectionPlace | undefined = () => undefined,
  ): void {
    const openLog = (connection: number): WriteLog => pipelineOf(this.#pane.pipeline).openWriteLog(connection);
    for (const [connection, ends] of connections.entries()) {
      const number = this.#connections.length;
      this.#connectionOf.set(ends.client, number).set(ends.server, number);
      const logs = {up: openLog(connection), down: openLog(connection)};
      this.#connections.push({...ends, place: placeOf(connection), streams: 0, ...logs});
    }
  }

  handleConnected(connection: number, streams: number, nowNs: number): void {
    const record = this.#connections[connection];
    if (record !== undefined) record.streams = streams;
    this.#setupNs ??= nowNs;
  }

  /**
   * Records that an endpoint wrote this number of bytes on a stream. The bytes belong to `object`. If `object` is null,
   * they belong to no object.
   */
  handleWritten(endpoint: number, stream: number, bytes: number, object: number | null, nowNs: number): void {
    const connection = this.#connectionOf.get(endpoint);
    const ends = connection === undefined ? undefined : this.#connections[connection];
    if (connection === undefined || ends === undefined) return;
    const isClient = ends.client === endpoint;
    (isClient ? ends.up : ends.down).add(stream, bytes, object);
    if (!isClient || object === null) return;
    this.#noteAsked(endpoint, stream, object);
    const record = this.#at(object);
    record.connection = connection;
    record.stream = this.#ownStreams.get(object) ?? stream;
    record.requestNs ??= nowNs;
  }

  /**
   * Records the HTTP/2 stream of an object, which the trace shows instead of the transport's stream. Call this
   * function before the request is written.
   */
  handleStream(object: number, stream: number): void {
    this.#ownStreams.set(object, stream);
  }

  /** Returns the object that a client requested last on a stream. Null if there is none. */
  requestedOn(client: number, stream: number): number | null {
    return this.#asked.get(client)?.get(stream) ?? null;
  }

  /**
   * Records that a client received this number of bytes from a remote server, as if the server had written them now.
   */
  handleRead(client: number, stream: number, bytes: number, object: number | null): void {
    const connection = this.#connectionOf.get(client);
    if (connection !== undefined) this.#connections[connection]?.down.add(stream, bytes, object);
  }

  handleObject(event: ObjectEvent, nowNs: number): void {
    const record = this.#at(event.object);
    if (event.type === 'discovered') {
      record.url = event.url;
      record.discoveredNs = nowNs;
    } else if (event.type === 'head') record.firstByteNs ??= nowNs;
    else if (event.type === 'complete') record.completeNs = nowNs;
    else if (event.type === 'failed') {
      record.completeNs = null;
      record.failedNs = nowNs;
      record.failure = event.failure;
      if (isMissing(event.failure)) record.bytes = 0;
    } else {
      record.delivered += event.bytes;
      this.#object.push(event.object);
      this.#atNs.push(nowNs);
      this.#bytes.push(record.delivered);
      this.#first.push(event.first);
    }
  }

  finish(
    end: {readonly outcome: Outcome; readonly reason: string | null},
    columns: {
      packets: PacketColumns;
      chunks: ChunkColumns;
      samples: SampleColumns;
      blocked: BlockedColumns;
      traffic?: TrafficTrace | undefined;
    },
    milestones?: Milestones,
  ): TraceData {
    const {packets, chunks, samples, blocked, traffic} = columns;
    const {pipeline, conversion} = this.#pane;
    const {numbers} = pipelineOf(pipeline);
    const writes = new Map<number, {readonly log: WriteLog; readonly peer: number}>();
    for (const {client, server, up, down} of this.#connections) {
      writes.set(client, {log: up, peer: server}).set(server, {log: down, peer: client});
    }
    const writesOf = (endpoint: number) => writes.get(endpoint);
    const opened = this.#openedConnections(packets);
    const numberOf = new Map(opened.map((connection, number) => [this.#connections.indexOf(connection), number]));
    return {
      pipeline,
      ...(conversion === undefined ? {} : {conversion}),
      ...this.#models,
      ...end,
      connections: opened.map(({client, server, streams, place}) => ({
        client,
        server,
        streams,
        ...(place === undefined ? {} : {origin: place.origin}),
        ...(place?.isAnonymous && {isAnonymous: true}),
      })),
      streams: this.#connections.reduce((sum, {streams}) => sum + streams, 0),
      setupNs: this.#setupNs,
      endNs: Math.max(this.#lastNs(packets, end.outcome), lastOf(milestones)),
      ...(milestones === undefined ? {} : {milestones}),
      objects: this.#objects.map(({delivered: _, connection: number, ...others}): ObjectTrace => {
        const object = {...others, connection: number === null ? null : (numberOf.get(number) ?? null)};
        return end.outcome === 'complete' && isLeftOut(object) ? {...object, bytes: 0} : object;
      }),
      deliveries: {
        object: Uint32Array.from(this.#object),
        atNs: Float64Array.from(this.#atNs),
        bytes: Float64Array.from(this.#bytes),
        first: Float64Array.from(this.#first),
      },
      packets,
      chunks,
      chunkPieces: attributeChunks(packets, chunks, writesOf),
      samples,
      blocked,
      blockedPieces: attributeBlocked(packets, chunks, blocked, numbers, writesOf),
      ...(traffic === undefined ? {} : {traffic}),
    };
  }

  /** Returns all connections without those spare ones that were never opened ({@link Connection.isSpare}). */
  #openedConnections({endpoint}: PacketColumns): readonly RecordedConnection[] {
    return this.#connections.filter(({client, isSpare}) => !isSpare || endpoint.includes(client));
  }

  #noteAsked(client: number, stream: number, object: number): void {
    const streams = this.#asked.get(client) ?? new Map<number, number>();
    this.#asked.set(client, streams.set(stream, object));
  }

  #at(object: number): MutableObject {
    this.#objects[object] ??= newObject('', 0); // the HTML named more objects than the server's page has
    return this.#objects[object];
  }

  /**
   * Returns the time when the last object ended, if every object is complete, missing ({@link isMissing}) or, in a
   * complete load, left out ({@link isLeftOut}). Otherwise returns the time of the last event: a packet was sent,
   * delivered or dropped, bytes were delivered to the application, or the first connection was established.
   */
  #lastNs(packets: PacketColumns, outcome: Outcome): number {
    const isWithout = (object: ObjectTrace) => (outcome === 'complete' ? isLeftOut(object) : isMissing(object.failure));
    const isComplete = this.#objects.every(object => object.completeNs !== null || isWithout(object));
    if (isComplete && this.#objects.length > 0) {
      return this.#objects.reduce((last, {completeNs, failedNs}) => Math.max(last, completeNs ?? failedNs ?? 0), 0);
    }
    let last = Math.max(0, this.#setupNs ?? 0, ...this.#atNs.slice(-1));
    for (let row = 0; row < packets.sentNs.length; row++) {
      last = Math.max(last, packets.sentNs[row] ?? 0, (packets.fateNs[row] ?? 0) || 0);
    }
    return last;
  }
}

/**
 * Returns the time at which the scripts of a recorded page have run and inserted everything, which can be after the
 * last object. 0 if the load followed no recording.
 */
function lastOf(milestones: Milestones | undefined): number {
  const {insertedNs, dclNs, loadNs} = milestones ?? {};
  if (insertedNs === undefined) return 0;
  return Math.max(dclNs ?? 0, loadNs ?? 0, ...insertedNs.map(atNs => atNs ?? 0));
}

/** The origin that a connection leads to. */
interface ConnectionPlace {
  readonly origin: string;
  readonly isAnonymous: boolean;
}

interface RecordedConnection extends Connection {
  readonly place: ConnectionPlace | undefined;
  /** The number of streams that the handshake agreed on. 0 if the connection was never established. */
  streams: number;
  /** Writes of the connection's client (`up`) and server (`down`). */
  readonly up: WriteLog;
  readonly down: WriteLog;
}

type MutableObject = {-readonly [K in keyof ObjectTrace]: ObjectTrace[K]} & {delivered: number};

function newObject(url: string, bytes: number): MutableObject {
  return {
    url,
    bytes,
    connection: null,
    stream: null,
    discoveredNs: null,
    requestNs: null,
    firstByteNs: null,
    completeNs: null,
    failedNs: null,
    failure: null,
    delivered: 0,
  };
}
