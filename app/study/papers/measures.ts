import {DIRECTION, FATE} from '../../run/trace/columns.ts';
import type {Trace} from '../../run/trace/trace.ts';
import type {Measure} from './paper.ts';

/** {@link betweenArrivalsMs} among a paper's measures. */
export const BETWEEN_ARRIVALS = 'betweenArrivalsMs';

/** The longest time between two arrivals at the client, up to the page's last: C03's silence of CATP (§5). Null if it never came to that. */
export function betweenArrivalsMs({data}: Trace): number | null {
  if (data.outcome !== 'complete') return null;
  const {direction, fate, fateNs} = data.packets;
  let [longestNs, lastNs] = [0, Number.POSITIVE_INFINITY];
  for (const [packet, atNs] of fateNs.entries()) {
    if (direction[packet] !== DIRECTION.down || fate[packet] !== FATE.delivered || atNs > data.endNs) continue;
    longestNs = Math.max(longestNs, atNs - lastNs);
    lastNs = atNs;
  }
  return longestNs / 1e6;
}

/** From the first packet to the last object, s; null if that never came. */
export const WHOLE_PAGE: Measure = {
  name: 'wholePageS',
  of: ({data}: Trace) => {
    if (data.outcome !== 'complete') return null;
    return data.objects.reduce((latest, {completeNs}) => Math.max(latest, completeNs ?? 0), 0) / 1e9;
  },
};
