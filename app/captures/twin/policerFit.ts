import type {CapturedPacket} from '../capturedLoad.ts';
import type {LostData} from './lostData.ts';

/** A token bucket that explains losses. */
export interface PolicerFit {
  readonly rateBps: number;
  readonly burstBytes: number;
}

/**
 * Finds a policer of the way down: a token bucket that is empty whenever a packet is lost, and not empty when packets
 * pass. For each rate that is tried, the size of the bucket is the median of the bytes that had been taken from it and
 * not refilled when the losses began to show. The best rate is the one at which the most losses and the fewest arrived
 * packets find the bucket nearly empty, and the fewest packets arrive although the bucket should be empty. Random
 * losses happen at any level of the bucket, so no rate fits them. Null if no rate fits, or if there are too few losses.
 * @param arrived the packets of the way down
 * @param losses when the losses on the way down began to show, ns
 * @param downBps the rate of the link, bit/s
 */
function fitPolicer(arrived: readonly CapturedPacket[], losses: readonly number[], downBps: number): PolicerFit | null {
  if (losses.length < LEAST_LOSSES) return null;
  let best: {readonly fit: PolicerFit; readonly score: number} | null = null;
  for (let rateBps = downBps * HIGHEST; rateBps > downBps * LOWEST; rateBps /= STEP) {
    const {burstBytes, lossShare, passShare, overShare} = emptyShares(arrived, losses, rateBps);
    const score = lossShare - passShare - overShare;
    if (lossShare >= LEAST_SHARE && burstBytes >= LEAST_BURST_BYTES && (best === null || score > best.score))
      best = {fit: {rateBps: Math.round(rateBps), burstBytes: Math.round(burstBytes)}, score};
  }
  return best === null || best.score < LEAST_SCORE ? null : best.fit;
}

/**
 * Returns policers that may explain the losses. Loading the page with each shows which one does. They are near the
 * fitted policer, or, if none was fitted, near the rate at which packets arrived after the first loss. Empty if there
 * are too few losses.
 * @param down the losses on the way down
 * @param downBps the rate of the link, bit/s
 */
export function policersToTry(
  packets: readonly CapturedPacket[],
  down: readonly LostData[],
  downBps: number,
): readonly PolicerFit[] {
  const arrived = packets.filter(({direction}) => direction === 'down');
  const losses = down.map(({seenNs}) => seenNs);
  const fitted = fitPolicer(arrived, losses, downBps);
  if (fitted !== null) return near(fitted, NEAR_FITTED);
  const [first, last] = [losses[0], arrived.at(-1)?.atNs];
  if (first === undefined || last === undefined) return [];
  if (losses.length < Math.max(LEAST_LOSSES, arrived.length * LEAST_LOST)) return [];
  const bytes = (isCounted: (atNs: number) => boolean): number =>
    arrived.reduce((sum, packet) => sum + (isCounted(packet.atNs) ? packet.bytes : 0), 0);
  const rateBps = (bytes(atNs => atNs > first) * 8e9) / Math.max(1, last - first);
  const burstBytes = Math.max(
    LEAST_BURST_BYTES,
    bytes(atNs => atNs <= first),
  );
  return near({rateBps, burstBytes}, NEAR_RATE).filter(each => each.rateBps < downBps * HIGHEST);
}

/** Returns policers that differ little from `policer`, which explains the losses roughly. */
export function policersNear(policer: PolicerFit): readonly PolicerFit[] {
  return near(policer, CLOSE).filter(
    ({rateBps, burstBytes}) => rateBps !== policer.rateBps || burstBytes !== policer.burstBytes,
  );
}

function near({rateBps, burstBytes}: PolicerFit, {rates, bursts}: typeof NEAR_RATE): readonly PolicerFit[] {
  return rates.flatMap(rate =>
    bursts.map(burst => ({rateBps: Math.round(rateBps * rate), burstBytes: Math.round(burstBytes * burst)})),
  );
}

const CLOSE = {rates: [0.93, 1, 1.07], bursts: [0.88, 1, 1.12]};
const NEAR_FITTED = {rates: [0.6, 0.75, 0.88, 1, 1.15], bursts: [0.8, 1, 1.3, 1.7]};
const NEAR_RATE = {rates: [0.8, 0.9, 1, 1.1, 1.25, 1.5], bursts: [0.4, 0.6, 0.8, 1]};
/**
 * If no policer was fitted, policers are tried only if the ratio of lost to arrived packets is at least this. Most
 * links lose fewer packets.
 */
const LEAST_LOST = 0.04;

/**
 * Returns the size of the bucket for a rate, and three shares. `lossShare` is the share of the losses at which the
 * bucket is nearly empty. `passShare` is the share of the arrived packets at which it is nearly empty. `overShare` is
 * the share of the arrived packets that it should not have let pass.
 */
function emptyShares(arrived: readonly CapturedPacket[], losses: readonly number[], rateBps: number) {
  // the bytes that were taken from the bucket and not refilled, at each packet
  const excess: number[] = [];
  let [over, lastNs] = [0, arrived[0]?.atNs ?? 0];
  for (const {atNs, bytes} of arrived) {
    over = Math.max(0, over - (rateBps * (atNs - lastNs)) / 8e9) + bytes;
    lastNs = atNs;
    excess.push(over);
  }
  const atLosses: number[] = [];
  let row = 0;
  for (const atNs of losses) {
    while (row + 1 < arrived.length && (arrived[row + 1]?.atNs ?? 0) <= atNs) row++;
    atLosses.push(excess[row] ?? 0);
  }
  const burstBytes = atLosses.toSorted((a, b) => a - b)[Math.floor(atLosses.length / 2)] ?? 0;
  const shareOf = (values: readonly number[], isCounted: (value: number) => boolean): number =>
    values.filter(isCounted).length / Math.max(1, values.length);
  return {
    burstBytes,
    lossShare: shareOf(atLosses, value => Math.abs(value - burstBytes) < NEARLY_EMPTY_BYTES),
    passShare: shareOf(excess, value => Math.abs(value - burstBytes) < NEARLY_EMPTY_BYTES),
    overShare: shareOf(excess, value => value > burstBytes + 2 * NEARLY_EMPTY_BYTES),
  };
}

const LEAST_LOSSES = 10;
const LEAST_BURST_BYTES = 8000;
/** The rates that are tried: the highest and lowest as a share of the link's rate, and the ratio of one to the next. */
const [HIGHEST, LOWEST, STEP] = [0.6, 0.01, 1.02];
const NEARLY_EMPTY_BYTES = 4600;
const LEAST_SHARE = 0.5;
const LEAST_SCORE = 0.2;
