import {firstAbove} from '../../base/order.ts';
import {pipelineOf} from '../../pipelines/index.ts';
import type {CapturedLoad, CapturedPacket} from '../capturedLoad.ts';

/** The rates and the RTT of a path, fitted to packets that were captured at the client. */
export interface PathFit {
  /** RTT without queues and serialisation, ns. */
  readonly rttNs: number;
  /** The rate at which packets arrive while the link is busy, bit/s. */
  readonly downBps: number;
  /** The rate of the way up, bit/s. Null if the capture does not show it: see {@link rateUp}. */
  readonly upBps: number | null;
}

/**
 * Fits the path. The rate of the way down is the rate at which packets arrive while the link is busy. The RTT is the
 * shortest time between a packet that the server must answer at once and the answer, without the serialisation of both.
 * The rate of the way up is chosen so that large packets and bursts have the same RTT as small packets.
 * @returns undefined if no packet was answered, or too few packets arrived in a row
 */
export function fitPath(load: Captured): PathFit | undefined {
  const {packets} = load;
  const downBps = rateDown(packets.filter(({direction}) => direction === 'down'));
  const answers = answered(load);
  if (downBps === null || answers.length === 0) return undefined;
  const samples = samplesOf(load, answers, downBps);
  const upBps = rateUp(samples);
  const leftNs = leftTimes(load, upBps ?? downBps);
  const rttNs = answers.reduce((least, {packet, answer}) => {
    const arrivedNs = answer.atNs - serialisationNs(answer.bytes, downBps);
    return Math.min(least, arrivedNs - (leftNs.get(packet) ?? packet.atNs));
  }, Number.POSITIVE_INFINITY);
  return {rttNs: Math.max(0, rttNs), downBps, upBps};
}

/** Returns when each packet of the client left the link, if the link sends packets one after the other at this rate. */
function leftTimes({packets}: Captured, rateBps: number): ReadonlyMap<CapturedPacket, number> {
  const left = new Map<CapturedPacket, number>();
  let freeNs = 0;
  for (const packet of packets) {
    if (packet.direction === 'down') continue;
    freeNs = Math.max(freeNs, packet.atNs) + serialisationNs(packet.bytes, rateBps);
    left.set(packet, freeNs);
  }
  return left;
}

type Captured = Pick<CapturedLoad, 'packets' | 'pipeline'>;

/** A packet of the client, and the first packet of the server that shows its arrival. */
interface Answered {
  readonly packet: CapturedPacket;
  readonly answer: CapturedPacket;
}

/**
 * Finds the packets that were answered: the first packet of a handshake, and packets with data. The answer to data is
 * their acknowledgement. QUIC's acknowledgements do not name data, so with QUIC only requests count, and their
 * responses are the answers. Repeated packets have no clear answer and are left out.
 */
function answered({packets, pipeline}: Captured): readonly Answered[] {
  const {acknowledges} = pipelineOf(pipeline);
  const down = byConnection(packets, 'down');
  return [...byConnection(packets, 'up')].flatMap(([connection, sent]) => {
    const received = down.get(connection) ?? [];
    const receivedNs = Float64Array.from(received, ({atNs}) => atNs);
    /** Returns the first packet that was received after a time and for which `shows` holds. */
    const firstAfter = (atNs: number, shows: (packet: CapturedPacket) => boolean): CapturedPacket | undefined => {
      for (let i = firstAbove(receivedNs, atNs); i < received.length; i++) {
        const packet = received[i];
        if (packet !== undefined && shows(packet)) return packet;
      }
      return undefined;
    };
    const found = [...openingOf(sent, received)];
    const sentTo = new Map<number, number>();
    const asked = new Set<number>();
    for (const packet of sent) {
      for (const {stream, first, bytes, pieces} of packet.chunks) {
        const [before, end] = [sentTo.get(stream) ?? 0, first + bytes];
        sentTo.set(stream, Math.max(before, end));
        const exchanges = pieces.map(({exchange}) => exchange).filter(exchange => !asked.has(exchange));
        for (const exchange of exchanges) asked.add(exchange);
        if (first < before) continue;
        const answer =
          acknowledges === 'data'
            ? firstAfter(packet.atNs, ({cumulativeAck}) => cumulativeAck >= end)
            : exchanges.length === 0
              ? undefined
              : firstAfter(packet.atNs, each => exchanges.some(exchange => carries(each, exchange)));
        if (answer !== undefined) found.push({packet, answer});
      }
    }
    return found;
  });
}

/**
 * Returns the first packet of a connection with its answer. Empty if there is no answer, or if the packet was repeated
 * before the answer.
 */
function openingOf(sent: readonly CapturedPacket[], received: readonly CapturedPacket[]): readonly Answered[] {
  const [packet, second] = sent.filter(({kind}) => kind === 'setUp');
  const answer = packet && received.find(({atNs}) => atNs > packet.atNs);
  if (packet === undefined || answer === undefined) return [];
  // a ClientHello may take two packets, which are sent together
  const isRepeated = second !== undefined && second.atNs < answer.atNs && second.atNs > packet.atNs + REPEATED_NS;
  return isRepeated ? [] : [{packet, answer}];
}

function carries({chunks}: CapturedPacket, exchange: number): boolean {
  return chunks.some(({pieces}) => pieces.some(piece => piece.exchange === exchange));
}

/** The packets of one direction, by connection, in order of time. */
export function byConnection(packets: readonly CapturedPacket[], direction: 'down' | 'up') {
  const found = new Map<number, CapturedPacket[]>();
  for (const packet of packets) {
    if (packet.direction !== direction) continue;
    const own = found.get(packet.connection);
    if (own === undefined) found.set(packet.connection, [packet]);
    else own.push(packet);
  }
  return found;
}

/** The second packet of a handshake is a repetition of the first one if it is sent more than this time after it. */
const REPEATED_NS = 50e6;

/** A packet of the client that waited for no other packets than those that were sent together with it. */
interface Sample {
  /** Bytes of the packet and of those that were sent just before it. */
  readonly bytes: number;
  /** The time from the first of these packets to the answer, without the serialisation of the answer. */
  readonly rttNs: number;
}

/** Returns samples from bursts that follow a pause, because the queue of the way up was then empty. */
function samplesOf({packets}: Captured, answers: readonly Answered[], downBps: number): readonly Sample[] {
  const bursts = new Map<CapturedPacket, {readonly startNs: number; readonly bytes: number}>();
  let [startNs, lastNs, bytes, isAlone] = [0, Number.NEGATIVE_INFINITY, 0, false];
  for (const packet of packets) {
    if (packet.direction === 'down') continue;
    const pauseNs = packet.atNs - lastNs;
    if (pauseNs > BURST_NS) [startNs, bytes, isAlone] = [packet.atNs, 0, pauseNs > PAUSE_NS];
    bytes += packet.bytes;
    lastNs = packet.atNs;
    if (isAlone) bursts.set(packet, {startNs, bytes});
  }
  return answers.flatMap(({packet, answer}) => {
    const burst = bursts.get(packet);
    if (burst === undefined) return [];
    const rttNs = answer.atNs - burst.startNs - serialisationNs(answer.bytes, downBps);
    return [{bytes: burst.bytes, rttNs}];
  });
}

/** Packets that follow each other within this time are sent together. */
const BURST_NS = 2e6;
/** After this pause, the queue of the way up is taken to be empty. */
const PAUSE_NS = 50e6;

/**
 * Returns the rate of the way up, bit/s. Bursts of many bytes are answered later than small packets, and the difference
 * gives the rate. Null if the difference is so short that delays of programs may explain it, if there are no small
 * samples, or if there are no two large samples that agree.
 */
function rateUp(samples: readonly Sample[]): number | null {
  const small = leastOf(samples.filter(({bytes}) => bytes < SMALL_BYTES));
  if (small === undefined) return null;
  const [slope, second] = samples
    .filter(({bytes}) => bytes >= LARGE_BYTES)
    .map(({bytes, rttNs}) => (rttNs - small.rttNs) / (bytes - small.bytes))
    .sort((a, b) => a - b);
  if (slope === undefined || second === undefined || slope * LARGE_BYTES < LEAST_SERIALISATION_NS) return null;
  // a lost acknowledgement delays an answer like a slow link, but it hardly delays two answers in the same proportion
  return second <= slope * AGREEING ? 8e9 / slope : null;
}

function leastOf(samples: readonly Sample[]): Sample | undefined {
  return samples.reduce<Sample | undefined>(
    (least, each) => (least === undefined || each.rttNs < least.rttNs ? each : least),
    undefined,
  );
}

const AGREEING = 1.2;
const SMALL_BYTES = 300;
const LARGE_BYTES = 1000;
/** The shortest serialisation of {@link LARGE_BYTES} that can be measured. */
const LEAST_SERIALISATION_NS = 2e6;

/** Returns how long a link of this rate (bit/s) needs for a number of bytes, ns. */
export function serialisationNs(bytes: number, rateBps: number): number {
  return (bytes * 8e9) / rateBps;
}

/**
 * Returns the rate at which packets arrive while the link is busy, bit/s. Null if there are too few packets. Rates are
 * measured over windows of several packets. A busy link gives the same rate again and again, so the highest rate that
 * many windows share counts. Delays of programs disturb the times of single packets, so longer windows with a similar
 * rate refine the result.
 */
function rateDown(packets: readonly CapturedPacket[]): number | null {
  const short = commonRate(windowRates(packets, 0), ROUGHLY);
  if (short === null) return null;
  const long = windowRates(packets, LONG_WINDOW_NS).filter(rate => isClose(rate, short, ROUGHLY ** 2));
  return (long.length >= ENOUGH ? commonRate(long, CLOSE) : null) ?? short;
}

/**
 * Returns the rates of windows, bit/s. Each packet ends one window: the shortest that takes at least `leastNs` and has
 * at least {@link LEAST_PACKETS} packets after its first one. Windows with fewer than {@link LEAST_BYTES} are left out.
 */
function windowRates(packets: readonly CapturedPacket[], leastNs: number): readonly number[] {
  const rates: number[] = [];
  const spanNs = (from: number, to: number): number => (packets[to]?.atNs ?? 0) - (packets[from]?.atNs ?? 0);
  const isEnough = (from: number, to: number): boolean => to - from >= LEAST_PACKETS && spanNs(from, to) >= leastNs;
  let [first, bytes] = [0, 0];
  for (let last = 1; last < packets.length; last++) {
    bytes += packets[last]?.bytes ?? 0;
    while (isEnough(first + 1, last)) {
      first++;
      bytes -= packets[first]?.bytes ?? 0;
    }
    if (isEnough(first, last) && bytes >= LEAST_BYTES && spanNs(first, last) > 0)
      rates.push((bytes * 8e9) / spanNs(first, last));
  }
  return rates;
}

/**
 * Returns the median of the highest rates that are close to each other and frequent enough. Null if there are no rates.
 */
function commonRate(rates: readonly number[], factor: number): number | null {
  const sorted = rates.toSorted((a, b) => b - a);
  let [from, until] = [0, 0];
  const ranges = sorted.map(rate => {
    while ((sorted[from] ?? 0) > rate * factor) from++;
    while (until < sorted.length && (sorted[until] ?? 0) >= rate / factor) until++;
    return {from, until};
  });
  const enough = ranges.reduce((most, range) => Math.max(most, range.until - range.from), 0) * SHARE;
  const found = ranges.find(range => range.until - range.from >= enough);
  return found === undefined ? null : (sorted[Math.floor((found.from + found.until) / 2)] ?? null);
}

function isClose(rate: number, to: number, factor: number): boolean {
  return rate <= to * factor && rate >= to / factor;
}

const LEAST_PACKETS = 3;
const LEAST_BYTES = 3000;
const LONG_WINDOW_NS = 8e6;
/** The fewest long windows that may refine the rate. */
const ENOUGH = 10;
/** Rates within these factors count as the same. */
const [ROUGHLY, CLOSE] = [1.1, 1.02];
/**
 * For each rate, the windows with a close rate are counted. A rate is frequent enough if its count is at least this
 * share of the largest count.
 */
const SHARE = 0.15;
