import type {TraceData} from './traceData.ts';

/**
 * What of a trace that is from elsewhere cannot be: a table that lacks a column, or whose columns differ in length, and
 * numbers of objects that are not there. Undefined if all is well; what a file made by this program says of times and
 * bytes is taken as it is.
 */
export function traceProblem(data: TraceData): string | undefined {
  const tables: {readonly [table: string]: unknown} = {...data};
  for (const [table, columns] of Object.entries(TABLES)) {
    const problem = tableProblem(table, tables[table], columns);
    if (problem !== undefined) return problem;
  }
  if (!Array.isArray(data.objects) || !data.objects.every(isObject)) return 'has no objects';
  if (!Array.isArray(data.connections)) return 'has no connections';
  if (!isTime(data.endNs)) return 'has no end';
  const {deliveries, chunkPieces, blockedPieces} = data;
  const unknown = [deliveries, chunkPieces, blockedPieces].flatMap(
    ({object}) => object.find(each => each >= data.objects.length) ?? [],
  );
  return unknown.length === 0 ? undefined : `tells of object ${unknown[0]}, and has ${data.objects.length}`;
}

function tableProblem(table: string, value: unknown, columns: readonly string[]): string | undefined {
  if (typeof value !== 'object' || value === null) return `has no ${table}`;
  const found = columns.map(name => (value as {readonly [key: string]: unknown})[name]);
  const lengths = found.map(column => (ArrayBuffer.isView(column) ? (column as Uint8Array).length : -1));
  if (lengths.includes(-1)) return `lacks a column of its ${table}`;
  return new Set(lengths).size === 1 ? undefined : `has columns of different lengths in its ${table}`;
}

function isObject(value: unknown): boolean {
  const {url, bytes} = (value ?? {}) as {readonly url?: unknown; readonly bytes?: unknown};
  return typeof url === 'string' && isTime(bytes);
}

function isTime(value: unknown): boolean {
  return typeof value === 'number' && value >= 0;
}

const PIECES = ['row', 'object', 'bytes'];

const TABLES: {readonly [table in keyof TraceData]?: readonly string[]} = {
  deliveries: ['object', 'atNs', 'bytes', 'first'],
  packets: ['endpoint', 'direction', 'bytes', 'sentNs', 'fate', 'fateNs', 'kind', 'cumulativeAck'],
  chunks: ['packet', 'first', 'bytes', 'stream', 'message', 'retransmission'],
  chunkPieces: PIECES,
  samples: [
    ...['atNs', 'endpoint', 'cwndBytes', 'ssthreshBytes', 'flightBytes', 'srttNs', 'rtoNs', 'state'],
    ...['timeouts', 'probes'],
  ],
  blocked: ['endpoint', 'stream', 'first', 'bytes', 'startNs', 'endNs'],
  blockedPieces: PIECES,
};
