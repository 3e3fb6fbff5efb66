import {DIRECTION, FATE} from '../../run/trace/columns.ts';
import type {Trace} from '../../run/trace/trace.ts';
import type {Measure} from './paper.ts';

/** The name of {@link betweenArrivalsMs} among the measures of C03. */
export const BETWEEN_ARRIVALS = 'betweenArrivalsMs';

/**
 * The longest time between two consecutive arrivals of packets at the client, until the page is complete, ms. The paper
 * C03 (§5) measures the silent time of its protocol CATP like this. Null if the page was never complete.
 */
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

/**
 * The time from the start of the run, when the first packet is sent, to the last byte of the last object, s. Null if
 * the page was never complete.
 */
export const WHOLE_PAGE: Measure = {
  name: 'wholePageS',
  of: ({data}: Trace) => {
    if (data.outcome !== 'complete') return null;
    return data.objects.reduce((latest, {completeNs}) => Math.max(latest, completeNs ?? 0), 0) / 1e9;
  },
};
