import type {StepRun} from '../../app/telling/story/stepTimes.ts';
import type {ShownRun} from '../session/loads.ts';

/** Of a run, what the showing of a step depends on. */
export function stepRunOf({page, traces}: ShownRun): StepRun {
  return {
    endNs: Math.max(...traces.map(trace => trace.data.endNs)),
    urls: page.objects.map(({url}) => url),
    losses: traces.map(trace => trace.droppedPackets().length),
  };
}
