import type {BlockedColumns, PacketColumns} from './columns.ts';
import type {TraceData} from './traceData.ts';

/**
 * New parts of a load's trace. The rows of the tables in {@link tablesOf} are appended to the existing ones. All other
 * fields of the trace replace the old ones. If a row refers to another row, that other row is appended earlier or in
 * the same call.
 */
export type TraceGrowth = Partial<TraceData> & {
  /** Fates of packets that were in flight: row i of each column belongs to the packet in row `row[i]`. */
  readonly fates?: {readonly row: Uint32Array} & Pick<PacketColumns, 'fate' | 'fateNs'>;
  /** End times of data that had been waiting, in the same form. */
  readonly blockedEnds?: {readonly row: Uint32Array} & Pick<BlockedColumns, 'endNs'>;
};

/**
 * The data of a growing trace. Each `append` makes a new data object. Earlier data objects keep their rows, but their
 * columns may share memory with the new ones, so fates and end times in them may change.
 */
export class GrowingData {
  /** Undefined until the trace grows for the first time. */
  #tables: ReturnType<typeof tablesOf> | undefined;
  #data: TraceData;

  constructor(data: TraceData) {
    this.#data = data;
  }

  get data(): TraceData {
    return this.#data;
  }

  append({fates, blockedEnds, ...growth}: TraceGrowth): void {
    this.#tables ??= tablesOf(this.#data);
    const {deliveries, packets, chunks, chunkPieces, samples, blocked, blockedPieces} = this.#tables;
    deliveries.append(growth.deliveries);
    packets.append(growth.packets);
    chunks.append(growth.chunks);
    chunkPieces.append(growth.chunkPieces);
    samples.append(growth.samples);
    blocked.append(growth.blocked);
    blockedPieces.append(growth.blockedPieces);
    for (const [i, row] of fates?.row.entries() ?? []) {
      packets.set('fate', row, fates?.fate[i] ?? 0);
      packets.set('fateNs', row, fates?.fateNs[i] ?? Number.NaN);
    }
    for (const [i, row] of blockedEnds?.row.entries() ?? [])
      blocked.set('endNs', row, blockedEnds?.endNs[i] ?? Number.NaN);
    this.#data = {
      ...this.#data,
      ...growth,
      deliveries: deliveries.columns,
      packets: packets.columns,
      chunks: chunks.columns,
      chunkPieces: chunkPieces.columns,
      samples: samples.columns,
      blocked: blocked.columns,
      blockedPieces: blockedPieces.columns,
    };
  }
}

function tablesOf(data: TraceData) {
  return {
    deliveries: new GrowingTable(data.deliveries),
    packets: new GrowingTable(data.packets),
    chunks: new GrowingTable(data.chunks),
    chunkPieces: new GrowingTable(data.chunkPieces),
    samples: new GrowingTable(data.samples),
    blocked: new GrowingTable(data.blocked),
    blockedPieces: new GrowingTable(data.blockedPieces),
  };
}

type Column = Uint8Array | Uint16Array | Uint32Array | Float64Array;

type Table<T> = {readonly [K in keyof T]: Column};

/** Columns of equal length that grow at their end. Appending n rows, in any portions, copies O(n) values in total. */
export class GrowingTable<T extends Table<T>> {
  #columns: T;
  /** Columns with spare room after the rows. Null while the table uses the caller's columns. */
  #room: {readonly [K in keyof T]: Column} | null = null;
  #length: number;

  /** Uses the caller's columns, but never changes them. */
  constructor(columns: T) {
    this.#columns = columns;
    this.#length = lengthOf(columns);
  }

  /** The current columns. `append` and `set` may replace them. */
  get columns(): T {
    return this.#columns;
  }

  /**
   * Appends rows.
   * @throws RangeError if the columns differ in length
   * @throws TypeError if a column has another type than the table's column
   */
  append(rows: T | undefined): void {
    if (rows === undefined) return;
    const length = this.#length + lengthOf(rows);
    const room = this.#roomFor(length);
    for (const key of keysOf(rows)) {
      const [own, more] = [room[key], rows[key]];
      if (own.constructor !== more.constructor) {
        throw new TypeError(
          `invalid column ${String(key)}: ${more.constructor.name} (must be ${own.constructor.name})`,
        );
      }
      own.set(more, this.#length);
    }
    this.#show(room, length);
  }

  /** Changes one value of an existing row. */
  set<K extends keyof T>(key: K, row: number, value: number): void {
    const room = this.#roomFor(this.#length);
    room[key][row] = value;
    if (this.#columns[key].buffer !== room[key].buffer) this.#show(room, this.#length);
  }

  #roomFor(length: number): {readonly [K in keyof T]: Column} {
    const first = this.#room?.[keysOf(this.#columns)[0] as keyof T];
    if (this.#room !== null && first !== undefined && first.length >= length) return this.#room;
    const size = Math.max(length, 2 * this.#length, LEAST_ROWS);
    this.#room = mapColumns(this.#columns, column => {
      const larger = new (column.constructor as new (length: number) => Column)(size);
      larger.set(column);
      return larger;
    });
    return this.#room;
  }

  #show(room: {readonly [K in keyof T]: Column}, length: number): void {
    this.#columns = mapColumns(room, column => column.subarray(0, length)) as T;
    this.#length = length;
  }
}

function lengthOf<T extends Table<T>>(columns: T): number {
  let length: number | undefined;
  for (const key of keysOf(columns)) {
    length ??= columns[key].length;
    if (columns[key].length !== length)
      throw new RangeError(`invalid columns: one has ${length} rows, another has ${columns[key].length}`);
  }
  return length ?? 0;
}

function mapColumns<T extends Table<T>>(columns: T, change: (column: Column) => Column) {
  const entries = keysOf(columns).map(key => [key, change(columns[key])]);
  return Object.fromEntries(entries) as {readonly [K in keyof T]: Column};
}

function keysOf<T extends object>(columns: T): readonly (keyof T)[] {
  return Object.keys(columns) as (keyof T)[];
}

const LEAST_ROWS = 16;
