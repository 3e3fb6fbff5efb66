import type {ClientEvent} from '../http/client.ts';
import type {Page} from '../page/page.ts';
import {attributeBlocked, attributeChunks, SctpWriteLog, TcpWriteLog, type WriteLog} from './attribution.ts';
import type {BlockedColumns, ChunkColumns, PacketColumns, SampleColumns} from './columns.ts';
import {isMissing} from './failure.ts';
import type {ObjectTrace, Outcome, TraceData} from './traceData.ts';

/** Takes down a load as it happens; {@link TraceRecorder.finish} gives the trace. */
export class TraceRecorder {
  readonly #pipeline: 'tcp' | 'sctp';
  readonly #endpoints: {client: number; server: number};
  readonly #objects: MutableObject[];
  readonly #numbers = new Map<string, number>();
  readonly #object: number[] = [];
  readonly #atNs: number[] = [];
  readonly #bytes: number[] = [];
  readonly #up: WriteLog;
  readonly #down: WriteLog;
  #setupNs: number | null = null;
  #streams = 0;

  constructor(pipeline: 'tcp' | 'sctp', endpoints: {client: number; server: number}, page: Page) {
    this.#pipeline = pipeline;
    this.#endpoints = endpoints;
    this.#up = pipeline === 'tcp' ? new TcpWriteLog() : new SctpWriteLog();
    this.#down = pipeline === 'tcp' ? new TcpWriteLog() : new SctpWriteLog();
    this.#objects = page.objects.map(object => newObject(object.url, object.body?.length ?? 0));
    for (const [number, object] of page.objects.entries()) this.#numbers.set(object.url, number);
  }

  handleConnected(streams: number, nowNs: number): void {
    this.#streams = streams;
    this.#setupNs = nowNs;
  }

  handleRequest(object: number, stream: number, bytes: number, nowNs: number): void {
    const record = this.#at(object);
    record.stream = stream;
    record.requestNs ??= nowNs;
    this.#up.add(stream, bytes, object);
  }

  handleResponse(url: string | undefined, stream: number, bytes: number): void {
    this.#down.add(stream, bytes, (url === undefined ? undefined : this.#numbers.get(url)) ?? 0);
  }

  handleClient(event: ClientEvent, nowNs: number): void {
    const record = this.#at(event.object);
    if (event.type === 'discovered') {
      record.url = event.url;
      record.discoveredNs = nowNs;
    } else if (event.type === 'head') record.firstByteNs = nowNs;
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
    }
  }

  finish(
    end: {readonly outcome: Outcome; readonly reason: string | null},
    columns: {packets: PacketColumns; chunks: ChunkColumns; samples: SampleColumns; blocked: BlockedColumns},
  ): TraceData {
    const {packets, chunks, samples, blocked} = columns;
    const {client, server} = this.#endpoints;
    const logOf = (endpoint: number): WriteLog => (endpoint === client ? this.#up : this.#down);
    const peerOf = (endpoint: number): number => (endpoint === client ? server : client);
    const isTcp = this.#pipeline === 'tcp';
    return {
      pipeline: this.#pipeline,
      ...end,
      streams: this.#streams,
      setupNs: this.#setupNs,
      endNs: this.#lastNs(packets),
      endpoints: {client, server},
      objects: this.#objects.map(({delivered: _, ...object}): ObjectTrace => object),
      deliveries: {
        object: Uint32Array.from(this.#object),
        atNs: Float64Array.from(this.#atNs),
        bytes: Float64Array.from(this.#bytes),
      },
      packets,
      chunks,
      chunkPieces: attributeChunks(packets, chunks, logOf),
      samples,
      blocked,
      blockedPieces: attributeBlocked(packets, chunks, blocked, isTcp, logOf, peerOf),
    };
  }

  #at(object: number): MutableObject {
    this.#objects[object] ??= newObject('', 0); // a page whose HTML arrives as the server never had it
    return this.#objects[object];
  }

  /** When the last object ended, or if some never did, when the last packet moved. */
  #lastNs(packets: PacketColumns): number {
    const isComplete = this.#objects.every(object => object.completeNs !== null || isMissing(object.failure));
    if (isComplete && this.#objects.length > 0) {
      return this.#objects.reduce(
        (last, {completeNs, failedNs}) => Math.max(last, completeNs ?? failedNs ?? 0),
        0,
      );
    }
    let last = Math.max(0, this.#setupNs ?? 0, ...this.#atNs.slice(-1));
    for (let row = 0; row < packets.sentNs.length; row++) {
      last = Math.max(last, packets.sentNs[row] ?? 0, (packets.fateNs[row] ?? 0) || 0);
    }
    return last;
  }
}

type MutableObject = {-readonly [K in keyof ObjectTrace]: ObjectTrace[K]} & {delivered: number};

function newObject(url: string, bytes: number): MutableObject {
  return {
    url,
    bytes,
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
