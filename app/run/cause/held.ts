import {countText} from '../../base/text.ts';
import {cachedByTrace} from '../trace/cachedByTrace.ts';
import {DIRECTION, FATE} from '../trace/columns.ts';
import {runEndNs, type Trace} from '../trace/trace.ts';
import {isPicture, objectName} from '../trace/traceTexts.ts';

/**
 * The data that has arrived at a pane's browser and waits at one moment, because earlier data of its stream was lost.
 */
export interface Held {
  /** The lost packets for which data waits, in the order of sending. */
  readonly packets: readonly HoldingPacket[];
  /** The objects with waiting data, in the order of the page. */
  readonly objects: readonly HeldContent[];
  /** Number of bytes that wait, including headers. */
  readonly bytes: number;
}

/** A lost packet for which data waits. */
export interface HoldingPacket {
  /** Row in the trace's packets. */
  readonly packet: number;
  /** The first object of which the packet carried data. */
  readonly object: number;
  /** The objects whose data waits for this packet. */
  readonly waiting: readonly number[];
}

/** An object with waiting data. */
export interface HeldContent {
  readonly object: number;
  /**
   * Number of bytes of the body that the page would have if the lost packets had arrived: the bytes that it has, those
   * in the lost packets, and those that wait.
   */
  readonly bytes: number;
}

/** The time in which data waits at the browser for one lost packet, in ns since the start of the run. */
interface Hold {
  readonly packet: number;
  readonly fromNs: number;
  readonly untilNs: number;
}

/** Returns what waits at t (ns). */
export function heldAt(trace: Trace, tNs: number): Held {
  const active = holdsOf(trace).filter(({fromNs, untilNs}) => fromNs <= tNs && tNs < untilNs);
  if (active.length === 0) return NOTHING_HELD;
  const packets = active.map(({packet}) => {
    const held = trace.blockingOf(packet)?.held ?? [];
    const waiting = held.filter(({startNs, endNs}) => startNs <= tNs && tNs < endNs).map(({object}) => object);
    return {packet, object: trace.objectsOf(packet)[0]?.object ?? 0, waiting};
  });
  const waiting = new Map<number, number>();
  for (const {object, bytes, startNs, endNs} of trace.blockedRows()) {
    if (startNs <= tNs && tNs < endNs) waiting.set(object, (waiting.get(object) ?? 0) + bytes);
  }
  const there = bytesThere(trace, tNs, new Set(active.map(({packet}) => packet)));
  const objects = Array.from(waiting.keys(), object => {
    const body = (there[object] ?? 0) - (headersOf(trace)[object] ?? 0);
    const most = trace.objects[object]?.bytes ?? 0;
    return {object, bytes: Math.max(trace.bytesAt(object, tNs), Math.min(body, most))};
  });
  return {
    packets,
    objects: objects.sort((a, b) => a.object - b.object),
    bytes: [...waiting.values()].reduce((sum, bytes) => sum + bytes, 0),
  };
}

/**
 * Returns the times at which playing may stop so that an audience sees what a loss does: when data begins to wait for a
 * lost packet, and when this wait ends. The times are in ns and ascending. If several times are too close to
 * distinguish, only the last one is returned.
 */
export function freezesOf(traces: readonly Trace[]): readonly number[] {
  const leastNs = LEAST_SHARE * runEndNs(traces);
  const times = traces.flatMap(trace => holdsOf(trace).flatMap(({fromNs, untilNs}) => [fromNs, untilNs]));
  const stops: number[] = [];
  for (const ns of times.sort((a, b) => b - a)) {
    if ((stops[0] ?? Number.POSITIVE_INFINITY) - ns > leastNs) stops.unshift(ns);
  }
  return stops;
}

/**
 * Says what waits, and for what: `23 KB of 4 pictures wait` and ` for one lost packet`. Places with little room show
 * only the first text. Both are empty if nothing waits.
 */
export function heldTexts(trace: Trace, {packets, objects, bytes}: Held): readonly [what: string, why: string] {
  const [first] = objects;
  if (first === undefined) return ['', ''];
  const noun = objects.every(({object}) => isPicture(trace.objects[object]?.url ?? '')) ? 'pictures' : 'objects';
  const what = objects.length === 1 ? objectName(trace, first.object) : `${objects.length} ${noun}`;
  const lost = `${countText(packets.length)} lost packet${packets.length === 1 ? '' : 's'}`;
  return [`${sizeText(bytes)} of ${what} wait`, ` for ${lost}`];
}

function sizeText(bytes: number): string {
  return bytes < 1000 ? `${bytes} B` : `${(bytes / 1000).toFixed(bytes < 10_000 ? 1 : 0)} KB`;
}

/** Returns the holds of the server's lost packets, in the order of sending. */
const holdsOf = cachedByTrace((trace: Trace): readonly Hold[] =>
  trace.droppedPackets().flatMap(packet => {
    const held = trace.blockingOf(packet)?.held ?? [];
    if (trace.data.packets.direction[packet] !== DIRECTION.down || held.length === 0) return [];
    const fromNs = Math.min(...held.map(({startNs}) => startNs));
    return [{packet, fromNs, untilNs: Math.max(...held.map(({endNs}) => endNs))}];
  }),
);

/** Data of an object that the server sent for the first time. */
interface SentPiece {
  readonly object: number;
  readonly bytes: number;
  readonly packet: number;
  /** The time when the data arrived, with this packet or a later one. Infinity if it never did. */
  readonly arrivedNs: number;
}

/**
 * Returns all data that the server sent, without retransmissions. A lost retransmission need not be counted, because
 * the lost packet with the first copy of its data is counted.
 */
const sentPieces = cachedByTrace((trace: Trace): readonly SentPiece[] => {
  const {chunks, chunkPieces, packets} = trace.data;
  const pieces: SentPiece[] = [];
  for (let row = 0; row < chunkPieces.row.length; row++) {
    const chunk = chunkPieces.row[row] ?? 0;
    const packet = chunks.packet[chunk] ?? 0;
    if (packets.direction[packet] !== DIRECTION.down || chunks.retransmission[chunk] === 1) continue;
    const isDelivered = packets.fate[packet] === FATE.delivered;
    const arrivedNs = isDelivered ? packets.fateNs[packet] : trace.blockingOf(packet)?.repairedNs;
    const [object = 0, bytes = 0] = [chunkPieces.object[row], chunkPieces.bytes[row]];
    pieces.push({object, bytes, packet, arrivedNs: arrivedNs ?? Number.POSITIVE_INFINITY});
  }
  return pieces;
});

/** Returns the bytes of each object, with its header, that have arrived at t or are in one of the lost packets. */
function bytesThere(trace: Trace, tNs: number, lost: ReadonlySet<number>): readonly number[] {
  const there = trace.objects.map(() => 0);
  for (const {object, bytes, packet, arrivedNs} of sentPieces(trace)) {
    if (arrivedNs <= tNs || lost.has(packet)) there[object] = (there[object] ?? 0) + bytes;
  }
  return there;
}

/**
 * Returns the size of everything in each object's response except its body. 0 for an object that is not complete,
 * because perhaps not all of it was sent.
 */
const headersOf = cachedByTrace((trace: Trace): readonly number[] => {
  const sent = trace.objects.map(() => 0);
  for (const {object, bytes} of sentPieces(trace)) sent[object] = (sent[object] ?? 0) + bytes;
  return trace.objects.map(({bytes, completeNs}, i) => (completeNs === null ? 0 : Math.max(0, (sent[i] ?? 0) - bytes)));
});

const NOTHING_HELD: Held = {packets: [], objects: [], bytes: 0};

/** The smallest distance between two times of {@link freezesOf}, as a share of the run's duration. */
const LEAST_SHARE = 0.01;
