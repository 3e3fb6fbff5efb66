import {gzipSync} from 'node:zlib';
import {liveMetrics} from '../../app/metrics/liveMetrics.ts';
import type {PaneMetrics} from '../../app/metrics/metrics.ts';
import {predictAll} from '../../app/model/prediction.ts';
import type {PageSnapshot} from '../../app/page/page.ts';
import {pipelineOf} from '../../app/pipelines/index.ts';
import type {Scenario} from '../../app/scenario/scenario.ts';
import {encodeRun, type Run} from '../../app/trace/runFile.ts';
import type {TraceData} from '../../app/trace/traceData.ts';
import {openPage} from '../engine/pages.ts';
import {LiveLoad} from '../live/liveLoad.ts';
import type {Command} from './command.ts';
import {liveTokenOf} from './liveOptions.ts';
import {json, outLine, tellLeftOut} from './output.ts';
import {csv, resultDocument, table} from './result.ts';
import {UsageError} from './usageError.ts';

/** One live load of each pane; gives what is printed. @throws UsageError, LiveError; the signal's reason */
export async function runLive(
  command: Extract<Command, {name: 'run'}>,
  scenario: Scenario,
  page: PageSnapshot,
  signal: AbortSignal,
): Promise<string> {
  const {seeds, visual, format} = command;
  if (seeds !== undefined) throw new UsageError('--seeds: a live load has none');
  if (visual !== undefined) throw new UsageError('--visual: not of a live load yet');
  const {panes} = await loadTelling(page, scenario, {signal, token: liveTokenOf(command)});
  const runs = [{seed: scenario.seed, panes: panes.map(metricsOf)}];
  const result = resultDocument(scenario, page, runs, predictAll(scenario, page));
  if (format === 'json') return json(result);
  if (format === 'csv') return csv(result, scenario.panes);
  return `${table(result, scenario.panes)}${outLine(noteOf(scenario))}`;
}

function metricsOf(trace: TraceData): PaneMetrics {
  return liveMetrics(trace, pipelineOf(trace.pipeline).live?.seesPackets === true);
}

/** Its trace; packed if the file's name says so. @throws UsageError, LiveError; the signal's reason */
export async function loadLiveAsFile(
  command: Extract<Command, {name: 'trace'}>,
  scenario: Scenario,
  {fixtures, signal}: {readonly fixtures: string; readonly signal: AbortSignal},
): Promise<Uint8Array> {
  const page = await openPage(scenario.page, fixtures);
  tellLeftOut(page);
  const file = encodeRun(await loadTelling(page, scenario, {signal, token: liveTokenOf(command)}));
  return command.out.endsWith('.gz') ? gzipSync(file) : file;
}

/** On standard error: of a server that has another page. */
function loadTelling(
  page: PageSnapshot,
  scenario: Scenario,
  options: {readonly signal: AbortSignal; readonly token: string | undefined},
): Promise<Run> {
  const onNote = (note: string) => void process.stderr.write(outLine(note));
  return new LiveLoad(page, scenario, {...options, onNote}).run();
}

function noteOf({path}: Scenario): string {
  const order = path.atOnce ? 'all panes at once' : 'one pane after the other';
  return `live, ${order}; what the client cannot know is left out: of TCP its packets, of SCTP what was lost`;
}
