import {runEndNs} from '../../app/run/trace/trace.ts';
import type {StepRun} from '../../app/telling/story/stepTimes.ts';
import type {ShownRun} from '../session/loads.ts';

/**
 * The facts about a run that a story's step refers to: the run's end, the addresses of the page's objects, and the
 * number of losses in each pane.
 */
export function stepRunOf({page, traces}: ShownRun): StepRun {
  return {
    endNs: runEndNs(traces),
    urls: page.objects.map(({url}) => url),
    losses: traces.map(trace => trace.droppedPackets().length),
  };
}
