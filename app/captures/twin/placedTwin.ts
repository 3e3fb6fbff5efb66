import {countedRows} from '../../run/cause/dropPacket.ts';
import {parseScenario, type Scenario} from '../../run/scenario/scenario.ts';
import {PACKET_KIND} from '../../run/trace/columns.ts';
import {Trace} from '../../run/trace/trace.ts';
import type {TraceData} from '../../run/trace/traceData.ts';
import {isDropped} from '../../run/trace/traceIndex.ts';
import {sentOf} from '../../run/why/sentData.ts';
import type {LostData} from './lostData.ts';
import {type Assumed, type TwinParts, twinDocument} from './twinScenario.ts';

/** The parts of a twin, and the function that loads its page. */
export interface TwinLoader extends TwinParts {
  /** Loads the page. The scenario has one pane. */
  readonly compute: (scenario: Scenario) => TraceData;
}

/** A computed load that may become the twin, which is the computed load that is fitted to the captured load. */
export interface PlacedTwin {
  /**
   * The assumptions about the path and the server with which this load was computed. If this load becomes the twin,
   * they explain the capture.
   */
  readonly assumed: Assumed;
  readonly scenario: Scenario;
  readonly trace: Trace;
  /**
   * How many of the capture's losses were placed in this load: a packet of this load with the same data was dropped.
   * The losses by a policer or a full queue are not placed.
   */
  readonly placed: number;
  /** How far the completion times are from those of the capture. See {@link misfitOf}. */
  readonly misfit: number;
}

/**
 * Loads the page, and drops the packets that carry the data that were lost in the captured load. The losses are placed
 * one after the other, in the order in which the twin sends the lost data, because each loss changes everything after
 * it.
 * @throws RangeError if the scenario is not valid
 */
export function placedTwin(loader: TwinLoader, assumed: Assumed, lost: readonly LostData[]): PlacedTwin {
  const numbers = {down: new Set<number>(), up: new Set<number>()};
  const loaded = (): {readonly scenario: Scenario; readonly trace: Trace} => {
    const parsed = parseScenario(twinDocument(loader, assumed, numbers));
    if (!parsed.ok) throw new RangeError(`invalid twin: ${parsed.problems[0]?.message}`);
    return {scenario: parsed.scenario, trace: new Trace(loader.compute(parsed.scenario))};
  };
  let now = loaded();
  let pending: readonly Pending[] = lost.slice(0, MOST_LOSSES).map(each => ({lost: each, left: each.copies}));
  const placed = new Set<LostData>();
  for (let next = earliest(now.trace, pending, loader); next !== undefined; ) {
    const {row, each} = next;
    // all packets before this one stay the same, so it keeps its number
    numbers[each.lost.direction].add(countedRows(now.trace, each.lost.direction, {applies: 'all'}).indexOf(row));
    placed.add(each.lost);
    now = loaded();
    const after = {...each, before: each.before ?? row, left: each.left - 1};
    const isOver = after.left <= 0 && !isRepairedLater(now.trace, after, loader);
    const isKept = !isOver && after.left > -MOST_COPIES;
    pending = pending.flatMap(other => (other !== each ? [other] : isKept ? [after] : []));
    next = earliest(now.trace, pending, loader);
  }
  return {...now, assumed, placed: placed.size, misfit: misfitOf(now.trace, loader)};
}

/** Lost data of which the twin may have to lose more copies. */
interface Pending {
  readonly lost: LostData;
  /**
   * The number of lost copies that the capture shows, minus the number of copies that the twin has lost. While it is
   * positive, the twin loses another copy. Otherwise the time of the repair decides whether it does.
   */
  readonly left: number;
  /** The first packet of the twin on which this loss was placed. Absent if it is not placed yet. */
  readonly before?: number;
}

/**
 * Returns the pending loss whose data the twin sends first, and the packet with these data. Undefined if there is none.
 */
function earliest(trace: Trace, pending: readonly Pending[], parts: TwinParts) {
  let first: {readonly row: number; readonly each: Pending} | undefined;
  for (const each of pending) {
    const row = packetOf(trace, each.lost, parts);
    if (row !== undefined && (first === undefined || row < first.row)) first = {row, each};
  }
  return first;
}

/** More losses than this take too long to place. */
const MOST_LOSSES = 400;
/** The most copies of the same data that are lost in addition to those that the capture shows. */
const MOST_COPIES = 5;

/**
 * Returns the packet of the twin that delivers the data that were lost in the captured load. Undefined if there is
 * none.
 */
export function packetOf(trace: Trace, lost: LostData, {page}: TwinParts): number | undefined {
  const {direction, exchange, offset, connection, first, isSetUp} = lost;
  if (exchange !== null) {
    const object = page.exchanges.indexOf(exchange);
    const {ranges} = sentOf(trace, direction, object);
    const range = ranges.find(
      each => each.arrivedNs !== Number.POSITIVE_INFINITY && each.offset <= offset && offset < each.offset + each.bytes,
    );
    return range?.packet;
  }
  const {packets, chunks, connections} = trace.data;
  // `connection` counts only the connections with requests
  const used = new Set(trace.objects.map(object => object.connection));
  const ends = connections.filter((_, number) => used.has(number))[connection];
  const sender = direction === 'down' ? ends?.server : ends?.client;
  if (isSetUp) {
    const opening = packets.endpoint.findIndex(
      (endpoint, row) =>
        endpoint === sender && packets.kind[row] === PACKET_KIND.setUp && !isDropped(packets.fate[row]),
    );
    return opening < 0 ? undefined : opening;
  }
  // data of handshakes have the same positions in the capture and in the twin
  const row = chunks.packet.findIndex((packet, chunk) => {
    const [from = 0, bytes = 0] = [chunks.first[chunk], chunks.bytes[chunk]];
    return (
      packets.endpoint[packet] === sender && !isDropped(packets.fate[packet]) && from <= first && first < from + bytes
    );
  });
  return row < 0 ? undefined : chunks.packet[row];
}

/**
 * Whether a repetition from the server was lost, too. This is so if the loss was repaired much later in the capture
 * than in the twin. The way up needs no such rule: the capture was made at the client, so it has each packet that the
 * client sent again.
 */
function isRepairedLater(trace: Trace, {lost, before}: Pending, parts: TwinParts): boolean {
  if (lost.direction === 'up' || before === undefined) return false;
  const {packets} = trace.data;
  const row = packetOf(trace, lost, parts);
  if (row === undefined) return false;
  const {rttNs} = parts.path;
  const twinNs = (packets.fateNs[row] ?? 0) - (packets.sentNs[before] ?? 0) - rttNs / 2;
  return lost.repairedNs - lost.seenNs > twinNs + rttNs * LATER;
}

/**
 * If the data are repaired later in the capture than in the twin by more than this share of the RTT, another copy was
 * lost.
 */
const LATER = 0.75;

/**
 * Returns how far the completion times of a load are from those of the capture. Each distance is the logarithm of a
 * ratio. The result is the mean distance over all objects that are complete in both, plus the distance between the
 * times at which each load completed its last such object. Infinity if no object is complete in both.
 */
function misfitOf(trace: Trace, {load, page}: TwinParts): number {
  const startNs = firstPacketNs(trace);
  const pairs = trace.objects.flatMap(({completeNs: own}, object) => {
    const {completeNs = null} = load.exchanges[page.exchanges[object] ?? -1] ?? {};
    return own === null || completeNs === null || own <= startNs || completeNs <= 0
      ? []
      : [[completeNs, own - startNs]];
  });
  if (pairs.length === 0) return Number.POSITIVE_INFINITY;
  const distance = ([a = 1, b = 1]: readonly number[]): number => Math.abs(Math.log(b / a));
  const lasts = [0, 1].map(side => pairs.reduce((last, pair) => Math.max(last, pair[side] ?? 0), 0));
  return distance(lasts) + pairs.reduce((sum, pair) => sum + distance(pair), 0) / pairs.length;
}

/** When a computed load sent its first packet. This moment corresponds to time 0 of a capture. */
export function firstPacketNs({data}: Trace): number {
  return data.packets.sentNs[0] ?? 0;
}
