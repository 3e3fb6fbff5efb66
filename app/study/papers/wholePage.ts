import type {Trace} from '../../run/trace/trace.ts';
import type {Measure} from './paper.ts';

/** From the first packet to the last object, s; null if that never came. */
export const WHOLE_PAGE: Measure = {
  name: 'wholePageS',
  of: ({data}: Trace) => {
    if (data.outcome !== 'complete') return null;
    return data.objects.reduce((latest, {completeNs}) => Math.max(latest, completeNs ?? 0), 0) / 1e9;
  },
};
