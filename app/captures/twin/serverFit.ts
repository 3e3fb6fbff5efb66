import type {CapturedLoad, CapturedPacket} from '../capturedLoad.ts';
import {byConnection, type PathFit, serialisationNs} from './pathFit.ts';

/**
 * Returns the think time, ns: the time that every response needs beyond one RTT and the serialisation. 0 if it is too
 * short to be seen. The quickest response counts, because others may have waited for earlier responses, and their
 * requests may have been lost. `ownNs` is the time that the model of the server needs for every response anyway.
 */
export function fitThinkTime(
  {exchanges, packets}: CapturedLoad,
  {rttNs, downBps, upBps}: PathFit,
  ownNs: number,
): number {
  const firstNs = new Map<number, CapturedPacket>();
  for (const packet of packets)
    for (const {pieces} of packet.direction === 'down' ? packet.chunks : [])
      for (const {exchange} of pieces) if (!firstNs.has(exchange)) firstNs.set(exchange, packet);
  const thought = exchanges.flatMap(({requestNs, requestBytes, status}, i) => {
    const first = firstNs.get(i);
    if (first === undefined || status === null || status >= 400) return [];
    const linkNs = serialisationNs(requestBytes, upBps ?? downBps) + serialisationNs(first.bytes, downBps);
    return [first.atNs - requestNs - rttNs - linkNs];
  });
  const quickest = Math.min(...thought) - ownNs;
  return thought.length > 0 && quickest >= LEAST_THINK_NS ? Math.round(quickest / 1e5) * 1e5 : 0;
}

/** A shorter think time cannot be distinguished from other delays of programs. */
const LEAST_THINK_NS = 1e6;

/**
 * Returns the window that limits a connection, in bytes. Null if none does. A window shows as a plateau: the number of
 * bytes that arrive within an RTT stops growing far below what the path could carry, although responses are awaited.
 * The connection with the most data counts.
 */
export function fitWindow(load: CapturedLoad, path: PathFit): number | null {
  const {rttNs} = path;
  const windows = busiestWindows(load, rttNs);
  const most = mostBytes(windows);
  if (most < LEAST_WINDOW_BYTES || most > capacityBytes(path) * FAR_BELOW) return null;
  const full = windows.filter(({bytes}) => bytes >= most * NEARLY);
  const [first, last] = [full[0], full.at(-1)];
  if (first === undefined || last === undefined || last.atNs - first.atNs < LEAST_RTTS * rttNs) return null;
  // while the sender fills its window, about the same number of bytes arrives in every RTT, so many measured windows
  // are nearly as large as the largest one
  const during = windows.filter(({atNs}) => atNs >= first.atNs && atNs <= last.atNs);
  return full.length >= during.length * FULL_SHARE ? most : null;
}

/**
 * Returns windows that may have limited the server. Loading the page with each shows which one did. If the server left
 * slow start early (HyStart), its congestion window grows slowly, so it can limit a load without a plateau. Empty if
 * the path may have been the limit, or if a window would be too small.
 */
export function windowsToTry(load: CapturedLoad, path: PathFit): readonly number[] {
  const most = mostBytes(busiestWindows(load, path.rttNs));
  const windows = WINDOW_SHARES.map(share => Math.round(most * share));
  const isPossible = most <= capacityBytes(path) * BELOW && windows.every(bytes => bytes >= LEAST_WINDOW_BYTES);
  return isPossible ? windows : [];
}

function mostBytes(windows: readonly {readonly bytes: number}[]): number {
  return windows.reduce((largest, {bytes}) => Math.max(largest, bytes), 0);
}

function capacityBytes({rttNs, downBps}: PathFit): number {
  return (downBps * rttNs) / 8e9;
}

/**
 * Returns the result of {@link windowsOf} for the connection with the most data, for the times at which a response is
 * awaited.
 */
function busiestWindows(load: CapturedLoad, rttNs: number) {
  let [busiest, connection]: [readonly CapturedPacket[], number] = [[], 0];
  for (const [each, all] of byConnection(load.packets, 'down')) {
    const own = all.filter(({chunks}) => chunks.length > 0);
    if (dataBytes(own) > dataBytes(busiest)) [busiest, connection] = [own, each];
  }
  const awaited = awaitedOn(load, connection);
  return windowsOf(busiest, rttNs * WINDOW_RTTS).filter(({atNs}) => awaited(atNs - rttNs, atNs + rttNs));
}

/** Returns a function that says whether at least one response was awaited on a connection during a whole interval. */
function awaitedOn({exchanges}: CapturedLoad, connection: number): (fromNs: number, untilNs: number) => boolean {
  const own = exchanges.filter(each => each.connection === connection);
  return (fromNs, untilNs) =>
    own.some(({requestNs, completeNs}) => requestNs <= fromNs && (completeNs ?? Infinity) >= untilNs);
}

function dataBytes(packets: readonly CapturedPacket[]): number {
  return packets.reduce((sum, {chunks}) => sum + chunks.reduce((own, {bytes}) => own + bytes, 0), 0);
}

/** Returns for each packet how many bytes of data arrived in the time `spanNs` that ends with it. */
function windowsOf(packets: readonly CapturedPacket[], spanNs: number) {
  let [first, bytes] = [0, 0];
  return packets.map(packet => {
    bytes += dataBytes([packet]);
    for (let oldest = packets[first]; oldest !== undefined && oldest.atNs <= packet.atNs - spanNs; ) {
      bytes -= dataBytes([oldest]);
      first++;
      oldest = packets[first];
    }
    return {atNs: packet.atNs, bytes};
  });
}

/** The length of a window in RTTs. It is below 1, so that the data of two round trips are never counted together. */
const WINDOW_RTTS = 0.9;
/** Below this share of what the path could carry, the path is not the limit. */
const FAR_BELOW = 0.5;
/** Above this share of what the path could carry, the path may be the limit. */
const BELOW = 0.85;
const WINDOW_SHARES = [1, 0.85, 0.7];
/** The smallest send buffer that a scenario may have. A smaller window would not hold a packet. */
const LEAST_WINDOW_BYTES = 1024;
const NEARLY = 0.8;
const LEAST_RTTS = 3;
const FULL_SHARE = 0.12;
