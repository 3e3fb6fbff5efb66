import type {BlockedColumns, PacketColumns} from './columns.ts';
import {GrowingTable} from './growingTable.ts';
import type {TraceData} from './traceData.ts';

/**
 * New parts of a load's trace. Rows are appended to the existing ones, and all other fields replace the old ones. A row
 * that refers to another row comes with it or after it.
 */
export type TraceGrowth = Partial<TraceData> & {
  /** Fates of packets that were in flight: row i of each column belongs to the packet in row `row[i]`. */
  readonly fates?: {readonly row: Uint32Array} & Pick<PacketColumns, 'fate' | 'fateNs'>;
  /** End times of blocked data that was still waiting, in the same form. */
  readonly blockedEnds?: {readonly row: Uint32Array} & Pick<BlockedColumns, 'endNs'>;
};

/** The data of a growing trace. Data returned earlier do not change. */
export class GrowingData {
  /** Present from the first growth on. */
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
