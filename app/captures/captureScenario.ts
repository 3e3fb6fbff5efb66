import type {Json} from '../base/json.ts';
import type {PageStamp} from '../page/page.ts';
import {pipelineOf} from '../pipelines/index.ts';
import {scenarioDocument} from '../run/scenario/document.ts';
import {parseScenario} from '../run/scenario/scenario.ts';
import type {Run} from '../run/trace/runFile.ts';
import type {TraceData} from '../run/trace/traceData.ts';
import type {CapturedLoad} from './capturedLoad.ts';

/**
 * Returns a captured load as a run with one pane, so that a trace file can hold it. `page` becomes the key `page` of
 * the run's scenario, and `stamp` identifies this page.
 * @throws RangeError if a scenario cannot have this page
 */
export function captureRun(load: CapturedLoad, data: TraceData, page: Json, stamp?: PageStamp): Run {
  const {kind, seenAt} = load;
  const parsed = parseScenario({page, path: {captured: kind, seenAt}, panes: [paneOf(load)]});
  if (!parsed.ok) throw new RangeError(`a captured load has no scenario: ${parsed.problems[0]?.message}`);
  return {
    scenario: scenarioDocument(parsed.scenario),
    ...(stamp === undefined ? {} : {page: stamp}),
    panes: [data],
  };
}

/**
 * Returns the pane of a captured load. Only what the capture shows is set: the pipeline, whether TLS was used, and the
 * number of connections.
 */
function paneOf({pipeline, connections}: CapturedLoad): Json {
  const {settings} = pipelineOf(pipeline);
  const hasTls = connections.some(each => each.hasTls);
  const {connections: count} = settings;
  const most = count?.kind === 'number' ? count.most : 0;
  return {
    pipeline,
    ...(settings['tls'] === undefined ? {} : {tls: hasTls}),
    ...(most === 0 ? {} : {connections: Math.max(1, Math.min(most, connections.length))}),
  };
}
