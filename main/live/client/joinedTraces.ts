import type {BlockedColumns, ChunkColumns, PacketColumns, SampleColumns} from '../../../app/run/trace/columns.ts';

/**
 * The trace of one or more connections. If it is of one connection, the client is endpoint 0 and the server is endpoint
 * 1.
 */
export interface OwnTrace {
  packets(): PacketColumns;
  chunks(): ChunkColumns;
  samples(): SampleColumns;
  blocked(): BlockedColumns;
}

/**
 * The trace of one connection, and the client's number among the endpoints of all connections. The server has the next
 * number.
 */
export interface TracePart {
  readonly client: number;
  readonly trace: OwnTrace;
}

/** Joins the packets of all connections, in order of time. */
export function joinPackets(parts: readonly TracePart[]): PacketColumns {
  const all = parts.map(({client, trace}) => renumbered(trace.packets(), client));
  const places = placesByTime(all.map(({sentNs}) => sentNs));
  const {length} = places;
  return {
    endpoint: fill(new Uint32Array(length), columnsOf(all, 'endpoint'), places),
    direction: fill(new Uint8Array(length), columnsOf(all, 'direction'), places),
    bytes: fill(new Uint32Array(length), columnsOf(all, 'bytes'), places),
    sentNs: fill(new Float64Array(length), columnsOf(all, 'sentNs'), places),
    fate: fill(new Uint8Array(length), columnsOf(all, 'fate'), places),
    leftNs: fill(new Float64Array(length), columnsOf(all, 'leftNs'), places),
    fateNs: fill(new Float64Array(length), columnsOf(all, 'fateNs'), places),
    copyNs: fill(new Float64Array(length), columnsOf(all, 'copyNs'), places),
    ecn: fill(new Uint8Array(length), columnsOf(all, 'ecn'), places),
    marked: fill(new Uint8Array(length), columnsOf(all, 'marked'), places),
    kind: fill(new Uint8Array(length), columnsOf(all, 'kind'), places),
    cumulativeAck: fill(new Float64Array(length), columnsOf(all, 'cumulativeAck'), places),
  };
}

/** Joins the chunks of all connections, in the order of the packets of {@link joinPackets}. */
export function joinChunks(parts: readonly TracePart[]): ChunkColumns {
  const times = parts.map(({trace}) => trace.packets().sentNs);
  const rows = times.map(({length}) => new Uint32Array(length));
  for (const [row, place] of placesByTime(times).entries()) (rows[place.part] ?? [])[place.row] = row;
  const all = parts.map(({trace}, part) => {
    const chunks = trace.chunks();
    return {...chunks, packet: chunks.packet.map(row => rows[part]?.[row] ?? 0)};
  });
  const places = placesByTime(columnsOf(all, 'packet'));
  const {length} = places;
  return {
    packet: fill(new Uint32Array(length), columnsOf(all, 'packet'), places),
    first: fill(new Float64Array(length), columnsOf(all, 'first'), places),
    bytes: fill(new Uint32Array(length), columnsOf(all, 'bytes'), places),
    stream: fill(new Uint32Array(length), columnsOf(all, 'stream'), places),
    message: fill(new Uint32Array(length), columnsOf(all, 'message'), places),
    retransmission: fill(new Uint8Array(length), columnsOf(all, 'retransmission'), places),
  };
}

/** Joins the samples of all connections, in order of time. */
export function joinSamples(parts: readonly TracePart[]): SampleColumns {
  const all = parts.map(({client, trace}) => renumbered(trace.samples(), client));
  const places = placesByTime(all.map(({atNs}) => atNs));
  const {length} = places;
  return {
    atNs: fill(new Float64Array(length), columnsOf(all, 'atNs'), places),
    endpoint: fill(new Uint32Array(length), columnsOf(all, 'endpoint'), places),
    cwndBytes: fill(new Float64Array(length), columnsOf(all, 'cwndBytes'), places),
    ssthreshBytes: fill(new Float64Array(length), columnsOf(all, 'ssthreshBytes'), places),
    flightBytes: fill(new Float64Array(length), columnsOf(all, 'flightBytes'), places),
    srttNs: fill(new Float64Array(length), columnsOf(all, 'srttNs'), places),
    rtoNs: fill(new Float64Array(length), columnsOf(all, 'rtoNs'), places),
    state: fill(new Uint8Array(length), columnsOf(all, 'state'), places),
    timeouts: fill(new Uint32Array(length), columnsOf(all, 'timeouts'), places),
    probes: fill(new Uint32Array(length), columnsOf(all, 'probes'), places),
  };
}

/** Joins the head-of-line blocked data of all connections, one connection after the other. */
export function joinBlocked(parts: readonly TracePart[]): BlockedColumns {
  const all = parts.map(({client, trace}) => renumbered(trace.blocked(), client));
  const places = all.flatMap(({endpoint}, part) => [...endpoint.keys()].map(row => ({part, row})));
  const {length} = places;
  return {
    endpoint: fill(new Uint32Array(length), columnsOf(all, 'endpoint'), places),
    stream: fill(new Uint32Array(length), columnsOf(all, 'stream'), places),
    first: fill(new Float64Array(length), columnsOf(all, 'first'), places),
    bytes: fill(new Uint32Array(length), columnsOf(all, 'bytes'), places),
    startNs: fill(new Float64Array(length), columnsOf(all, 'startNs'), places),
    endNs: fill(new Float64Array(length), columnsOf(all, 'endNs'), places),
  };
}

type Column = Uint8Array | Uint32Array | Float64Array;

/** A row of one of the joined tables. `part` is the index of the table. `row` is the index of the row in this table. */
interface Place {
  readonly part: number;
  readonly row: number;
}

function renumbered<C extends {endpoint: Uint32Array}>(columns: C, client: number): C {
  return {...columns, endpoint: columns.endpoint.map(end => client + end)};
}

function columnsOf<K extends string>(all: readonly Readonly<Record<K, Column>>[], name: K): readonly Column[] {
  return all.map(columns => columns[name]);
}

/**
 * All rows of all tables, sorted by a column of each table, such as its times. Among rows with the same value, earlier
 * tables and earlier rows come first.
 */
function placesByTime(times: readonly Column[]): readonly Place[] {
  const places = times.flatMap((column, part) => Array.from(column, (at, row) => ({part, row, at: Number(at)})));
  return places.sort((a, b) => a.at - b.at);
}

function fill<C extends Column>(target: C, columns: readonly Column[], places: readonly Place[]): C {
  for (const [at, {part, row}] of places.entries()) target[at] = columns[part]?.[row] ?? 0;
  return target;
}

/**
 * Columns without rows. The packets of the kernel's TCP cannot be recorded, and a pane that has not started to load has
 * no packets.
 */
export const NO_PACKETS = joinPackets([]);
export const NO_CHUNKS = joinChunks([]);
export const NO_SAMPLES = joinSamples([]);
export const NO_BLOCKED = joinBlocked([]);
