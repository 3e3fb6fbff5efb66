import {firstAbove} from '../../base/order.ts';
import type {HeldObject} from '../trace/blocking.ts';
import {DIRECTION, FATE, PACKET_KIND} from '../trace/columns.ts';
import {openedNs} from '../trace/setUps.ts';
import type {Trace} from '../trace/trace.ts';
import type {TraceData} from '../trace/traceData.ts';
import {isDropped} from '../trace/traceIndex.ts';
import {isDatagramRequest, peerOf, type Sending, sendingsOf} from './sendings.ts';

/** A packet that the path dropped, with the consequences. Times are in ns since the start of the run. */
export interface Cause {
  readonly packet: number;
  /** The sender. */
  readonly from: 'server' | 'browser';
  readonly lostNs: number;
  /** Why the path dropped the packet. See {@link FATE}. */
  readonly fate: number;
  readonly cargo: Cargo;
}

type Cargo = DataCargo | SetUpCargo | AcknowledgementCargo | ControlCargo;

/**
 * A lost packet with data: data of objects, a browser's GETs, or data of no object, such as the messages of TLS. In the
 * last case, `parts` is empty.
 */
export interface DataCargo {
  readonly kind: 'data';
  readonly parts: readonly LostPart[];
  /** Whether the packet was itself a retransmission. */
  readonly isAgain: boolean;
  /**
   * True if the loss had no effect: all data of the packet had arrived before, or arrived with a copy that had been
   * sent earlier.
   */
  readonly isNeedless: boolean;
  /**
   * Later packets that repeat some of the data, in the order of sending. Packets that were sent after all of the data
   * had arrived are left out.
   */
  readonly sendings: readonly Sending[];
  /**
   * The time when all data of the packet had arrived, judged by the first byte of each chunk. For a request over bare
   * datagrams, this is the time when a repeated request arrived. Null if this never happened.
   */
  readonly arrivedNs: number | null;
  /**
   * Objects whose data or GETs had arrived and had to wait for the data of this packet. An object has one entry for
   * each wait.
   */
  readonly waited: readonly HeldObject[];
  /**
   * Objects that had been received in part, and that could then not grow until the lost data arrived, or until the run
   * ended without it. Empty if the browser sent the packet, or if the loss had no effect.
   */
  readonly still: readonly StillObject[];
  /**
   * When the page stopped growing: no object grew from this time until the lost data arrived, or until the run ended
   * without it.
   */
  readonly pageStillFromNs: number;
  /**
   * Other objects that grew while the data was missing. The growth counts from the first arrival of data that was sent
   * after the lost packet, until the lost data arrived, or until the run ended without it. Empty if the browser sent
   * the packet, or if the loss had no effect.
   */
  readonly othersThatGrew: readonly number[];
}

export interface LostPart {
  readonly object: number;
  /** Number of bytes, with those of the response's header. */
  readonly bytes: number;
}

export interface StillObject {
  readonly object: number;
  readonly fromNs: number;
  readonly toNs: number;
}

interface SetUpCargo extends SetUpAgain {
  readonly kind: 'set-up';
}

interface AcknowledgementCargo extends Acknowledged {
  readonly kind: 'acknowledgement';
}

interface ControlCargo {
  readonly kind: 'control';
}

/** Returns the consequences of a lost packet, or undefined if the path did not drop the packet. */
export function causeOf(trace: Trace, packet: number): Cause | undefined {
  const {packets} = trace.data;
  if (!isDropped(packets.fate[packet])) return undefined;
  return {
    packet,
    from: packets.direction[packet] === DIRECTION.down ? 'server' : 'browser',
    lostNs: packets.fateNs[packet] ?? 0,
    fate: packets.fate[packet] ?? FATE.lost,
    cargo: cargoOf(trace, packet),
  };
}

/**
 * Returns the time when the effect of a loss ends: the lost data arrives, the set-up continues, another connection is
 * opened instead, or the run ends. For a loss without effect, for a lost acknowledgement or control packet, and for a
 * set-up that never continued, this is the time of the loss.
 */
export function endOfEffectNs({lostNs, cargo}: Cause, {data}: Trace): number {
  if (cargo.kind === 'set-up') return cargo.insteadNs ?? cargo.againNs ?? lostNs;
  if (cargo.kind !== 'data' || cargo.isNeedless) return lostNs;
  return cargo.arrivedNs ?? data.endNs;
}

/** Returns the objects whose data or requests were lost, and those that waited for the lost packet. */
export function objectsConcerned({cargo}: Cause): readonly number[] {
  if (cargo.kind !== 'data') return [];
  return [...new Set([...cargo.parts, ...cargo.waited].map(({object}) => object))];
}

function cargoOf(trace: Trace, packet: number): Cargo {
  const blocking = trace.blockingOf(packet);
  if (blocking !== undefined) return dataCargo(trace, packet, blocking);
  const kind = trace.data.packets.kind[packet];
  if (kind === PACKET_KIND.setUp) return {kind: 'set-up', ...setUpAgain(trace.data, packet)};
  if (kind === PACKET_KIND.acknowledgement) return {kind: 'acknowledgement', ...acknowledgedLater(trace, packet)};
  return {kind: 'control'};
}

function dataCargo(
  trace: Trace,
  packet: number,
  {repairedNs, held}: {readonly repairedNs: number | null; readonly held: readonly HeldObject[]},
): DataCargo {
  const {data} = trace;
  const lostNs = data.packets.fateNs[packet] ?? 0;
  const parts = mergedParts(trace.objectsOf(packet));
  const sendings = sendingsOf(trace, packet, repairedNs ?? Number.POSITIVE_INFINITY);
  const isRepair = ({arrivedNs}: Sending) => arrivedNs !== null && arrivedNs <= (repairedNs ?? 0);
  const isNeedless = repairedNs !== null && !sendings.some(isRepair);
  const untilNs = Math.max(repairedNs ?? data.endNs, lostNs);
  const isDown = data.packets.direction[packet] === DIRECTION.down;
  const answered = isDatagramRequest(data, packet) ? sendings.find(each => each.arrivedNs !== null) : undefined;
  const objects = [...new Set([...parts, ...held].map(({object}) => object))].sort((a, b) => a - b);
  const shown = isDown && !isNeedless;
  return {
    kind: 'data',
    parts,
    isAgain: trace.isRetransmission(packet),
    isNeedless,
    sendings,
    arrivedNs: repairedNs ?? answered?.arrivedNs ?? null,
    waited: held,
    still: shown ? objects.flatMap(object => stillObject(trace, object, lostNs, untilNs)) : [],
    pageStillFromNs: Math.max(lostNs, lastBefore(data.deliveries.atNs, untilNs) ?? lostNs),
    othersThatGrew: shown ? growing(trace, packet, untilNs).filter(object => !objects.includes(object)) : [],
  };
}

/** Merges the pieces of each object, because an SCTP packet may carry several chunks of one object. */
function mergedParts(pieces: readonly LostPart[]): readonly LostPart[] {
  const bytes = new Map<number, number>();
  for (const piece of pieces) bytes.set(piece.object, (bytes.get(piece.object) ?? 0) + piece.bytes);
  return Array.from(bytes, ([object, sum]) => ({object, bytes: sum}));
}

/**
 * Returns the time between the loss and `toNs` in which an object did not grow. The list is empty if nothing of the
 * object arrived before `toNs`, or if the object was complete or had failed before.
 */
function stillObject(trace: Trace, object: number, lostNs: number, toNs: number): readonly StillObject[] {
  const {completeNs = null, failedNs = null} = trace.objects[object] ?? {};
  const endedNs = Math.min(completeNs ?? Number.POSITIVE_INFINITY, failedNs ?? Number.POSITIVE_INFINITY);
  const grownNs = lastBefore(trace.deliveriesOf(object).atNs, toNs);
  if (grownNs === undefined || endedNs < toNs) return [];
  const fromNs = Math.max(grownNs, lostNs);
  return fromNs < toNs ? [{object, fromNs, toNs}] : [];
}

/**
 * Returns the objects that grew between two times: the first arrival of data that the sender sent after this packet,
 * and `untilNs`.
 */
function growing({data, objects}: Trace, packet: number, untilNs: number): readonly number[] {
  const {packets, chunks, deliveries} = data;
  let fromNs = Number.POSITIVE_INFINITY;
  for (const later of chunks.packet.subarray(firstAbove(chunks.packet, packet))) {
    const isOfSender = packets.endpoint[later] === packets.endpoint[packet];
    if (!isOfSender || packets.fate[later] !== FATE.delivered) continue;
    fromNs = Math.min(fromNs, packets.fateNs[later] ?? fromNs);
  }
  const grown = new Set<number>();
  const {atNs, object} = deliveries;
  for (let row = 0; row < atNs.length; row++) {
    const at = atNs[row] ?? 0;
    if (at >= fromNs && at < untilNs) grown.add(object[row] ?? 0);
  }
  return Array.from(objects.keys()).filter(each => grown.has(each));
}

/** Returns the last of the ascending times that is before `ns`. */
function lastBefore(timesNs: Float64Array, ns: number): number | undefined {
  const after = firstAbove(timesNs, ns);
  for (let at = after - 1; at >= 0; at--) if ((timesNs[at] ?? 0) < ns) return timesNs[at];
  return undefined;
}

/** How later acknowledgements replaced a lost one. Times are in ns since the start of the run. */
interface Acknowledged {
  /** The time when a later acknowledgement arrived that covers the lost one. Null if none arrived. */
  readonly coveredNs: number | null;
  /**
   * Whether the other end waited for an acknowledgement: after the lost one was sent, the other end sent nothing until
   * `coveredNs`, and it sent a packet exactly at `coveredNs`.
   */
  readonly isAwaited: boolean;
  /** Whether the other end meanwhile retransmitted data that had arrived when the lost packet was sent. */
  readonly isSentAgain: boolean;
}

function acknowledgedLater({data, pipeline}: Trace, lost: number): Acknowledged {
  const {packets, chunks, connections} = data;
  // If packets are lost after the link, a packet is lost some time after it was sent. Here, the time of sending counts
  // as the time of the loss, so that everything that the other end does after the sending is included.
  const lostNs = packets.sentNs[lost] ?? 0;
  const endpoint = packets.endpoint[lost];
  const lostAck = packets.cumulativeAck[lost] ?? Number.NaN;
  let coveredNs: number | null = null;
  for (let row = lost + 1; row < packets.sentNs.length; row++) {
    const covers = packets.endpoint[row] === endpoint && (packets.cumulativeAck[row] ?? Number.NaN) >= lostAck;
    if (!covers || packets.fate[row] !== FATE.delivered) continue;
    coveredNs = Math.min(coveredNs ?? Number.POSITIVE_INFINITY, packets.fateNs[row] ?? 0);
  }
  const peer = peerOf(connections, endpoint ?? 0);
  const untilNs = coveredNs ?? Number.POSITIVE_INFINITY;
  const sentMeanwhile = (row: number): boolean =>
    packets.endpoint[row] === peer && (packets.sentNs[row] ?? 0) > lostNs && (packets.sentNs[row] ?? 0) < untilNs;
  // Over TCP, all bytes below `lostAck` had arrived. The same holds for the chunk numbers of SCTP. In QUIC, `lostAck` is
  // the number of a packet and says nothing about positions of data.
  const hadArrived = (chunk: number): boolean =>
    pipeline.acknowledges === 'packets' ? isCopyOfArrived(data, chunk, lostNs) : (chunks.first[chunk] ?? 0) < lostAck;
  return {
    coveredNs,
    isAwaited:
      coveredNs !== null &&
      !packets.sentNs.some((_, row) => sentMeanwhile(row)) &&
      packets.sentNs.some((sentNs, row) => sentNs === coveredNs && packets.endpoint[row] === peer),
    isSentAgain: chunks.packet.some((packet, chunk) => sentMeanwhile(packet) && hadArrived(chunk)),
  };
}

/** Whether some bytes of a chunk had arrived by `byNs` in an earlier packet. */
function isCopyOfArrived({packets, chunks}: TraceData, chunk: number, byNs: number): boolean {
  const sender = packets.endpoint[chunks.packet[chunk] ?? 0];
  const [first, end] = rangeOf(chunks, chunk);
  return (
    chunks.retransmission[chunk] === 1 &&
    chunks.packet.subarray(0, chunk).some((packet, earlier) => {
      if (packets.endpoint[packet] !== sender || chunks.stream[earlier] !== chunks.stream[chunk]) return false;
      const hasArrived = packets.fate[packet] === FATE.delivered && (packets.fateNs[packet] ?? 0) <= byNs;
      const [earlierFirst, earlierEnd] = rangeOf(chunks, earlier);
      return hasArrived && earlierFirst < end && first < earlierEnd;
    })
  );
}

function rangeOf({first, bytes}: TraceData['chunks'], chunk: number): readonly [first: number, end: number] {
  const start = first[chunk] ?? 0;
  return [start, start + (bytes[chunk] ?? 0)];
}

/**
 * How a connection's set-up continued after the loss of one of its packets. Times are in ns since the start of the run.
 */
interface SetUpAgain {
  /** The time when either end sent the next packet of the set-up. Null if neither did. */
  readonly againNs: number | null;
  /** Whether that packet was lost as well. */
  readonly isAgainLost: boolean;
  /**
   * The time when the pane was connected, by this connection or by the one opened at `insteadNs`. Null if it never was,
   * or if it was connected before this set-up continued, by a connection that was opened before the packet was sent.
   */
  readonly connectedNs: number | null;
  /**
   * The time when another connection was opened after the packet was sent, if this other connection was ready before
   * this set-up continued (`BrowserRules.backupMs`). Null otherwise.
   */
  readonly insteadNs: number | null;
}

function setUpAgain(data: TraceData, lost: number): SetUpAgain {
  const {packets, connections, setupNs} = data;
  // If packets are lost after the link, a packet is lost some time after it was sent. In between, another connection
  // may be set up, so the pane may be connected before the loss. `connectedNs` has this time, too, because it is after
  // the sending.
  const sentNs = packets.sentNs[lost] ?? 0;
  const ends = [packets.endpoint[lost], peerOf(connections, packets.endpoint[lost] ?? 0)];
  const again = packets.kind.findIndex(
    (kind, row) => row > lost && kind === PACKET_KIND.setUp && ends.includes(packets.endpoint[row]),
  );
  const againNs = again < 0 ? null : (packets.sentNs[again] ?? null);
  const isAgainLost = again >= 0 && isDropped(packets.fate[again]);
  const connectedNs = setupNs !== null && setupNs > sentNs ? setupNs : null;
  const isOther = connections.length > 1 && connectedNs !== null && connectedNs < (againNs ?? Number.POSITIVE_INFINITY);
  if (!isOther) return {againNs, isAgainLost, connectedNs, insteadNs: null};
  const opened = connections.map(({client}) => openedNs(data, client) ?? sentNs);
  const insteadNs = opened.find(ns => ns > sentNs && ns < connectedNs) ?? null;
  return {againNs, isAgainLost, connectedNs: insteadNs === null ? null : connectedNs, insteadNs};
}
