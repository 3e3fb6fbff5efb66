import {createHash} from 'node:crypto';
import {availableParallelism} from 'node:os';
import {showName} from '../../app/base/text.ts';
import {paneMetrics} from '../../app/run/metrics/paneMetrics.ts';
import type {Eye} from '../../app/run/quality/states.ts';
import {readBytes} from '../../app/run/scenario/readScenario.ts';
import {type Grid, isLiveGrid, parseAnyGrid} from '../../app/study/experiment/grid.ts';
import type {Identity} from '../../app/study/experiment/identity.ts';
import {VISUAL_METRICS} from '../../app/study/experiment/metricList.ts';
import {shardText, WHOLE} from '../../app/study/experiment/shard.ts';
import {type Expectation, expectExperiment} from '../jobs/experiment/dryRun.ts';
import {type ExperimentEnd, runExperiment} from '../jobs/experiment/experiment.ts';
import {FILES} from '../jobs/experiment/experimentFolder.ts';
import {type GridPage, openGridPages} from '../jobs/experiment/gridPages.ts';
import {mergeExperiments} from '../jobs/experiment/merge.ts';
import type {Outputs} from '../jobs/experiment/outputs.ts';
import type {LoadLive, SeenPage} from '../jobs/experiment/piece.ts';
import {presentExperiment} from '../jobs/experiment/presentExperiment.ts';
import {LiveLoad} from '../live/client/liveLoad.ts';
import {FIGURES, REPORT} from '../media/figures/writeFigures.ts';
import {withPage} from './chosenPage.ts';
import type {Command, ExperimentCommand} from './command.ts';
import {liveTokensOf} from './liveOptions.ts';
import {bytesOf} from './namedFile.ts';
import {json, outLine, tellLeftOut} from './output.ts';
import {startProgress} from './progress.ts';
import {problemsError} from './scenarioFile.ts';
import {UsageError} from './usageError.ts';

export interface ExperimentSurroundings {
  /** Folder of the pages that come with the program. */
  readonly fixtures: string;
  /** Measures what is to be seen of a page. */
  readonly eyeOf: (page: GridPage) => Promise<Eye>;
  /** `main/jobs/experiment/experimentWorker.ts`, bundled. */
  readonly worker: URL;
  /** `main/media/figures/figureWorker.ts`, bundled. */
  readonly figureWorker: URL;
  /** `main/pages/gateway/gatewayMain.ts`, bundled. */
  readonly module: URL;
  readonly signal: AbortSignal;
}

/** Runs a grid, or tells how long it takes; gives what is to be printed. @throws UsageError */
export async function experiment(command: ExperimentCommand, around: ExperimentSurroundings): Promise<string> {
  const {out, shard, visual, jobs, format} = command;
  const grid = readGrid(command.grid);
  checkMetrics(grid, command);
  if (isLiveGrid(grid)) checkLive(command);
  const {pages, pageOf} = await openGridPages(grid, around.fixtures, {
    resolve: scenario => withPage(scenario, command, around),
  });
  for (const {page} of pages) tellLeftOut(page);
  const isPlan = out === undefined;
  const seen: SeenPage[] = [];
  for (const page of pages) {
    seen.push(visual === undefined || isPlan ? {page: page.page} : {page: page.page, eye: await around.eyeOf(page)});
  }
  const qualities = seen.map(({eye}) => hashOf(eye?.quality));
  const identity: Identity = {
    grid,
    shard,
    pages: pages.map(({name, page}) => [name, page.hash]),
    visual: visual === undefined ? null : {...visual, qualities},
  };
  if (isPlan) {
    const expected = await expectExperiment(identity, seen, pageOf, {jobs, signal: around.signal});
    return format === 'json' ? json(expected) : expectationText(expected, command);
  }
  const progress = startProgress(process.stderr, 'runs');
  const end = await runExperiment({
    identity,
    pages: seen,
    pageOf,
    out,
    jobs,
    isResumed: command.isResumed,
    worker: around.worker,
    signal: around.signal,
    onProgress: (done, all, before) => progress.show(done - before, all - before),
    onNote: note => process.stderr.write(outLine(note)),
    loadLive: liveLoader(around.signal),
  }).finally(() => progress.end());
  const {outputs} = end;
  if (outputs !== null) await present(out, identity, outputs, {...around, jobs});
  return format === 'json' ? json({out, ...end, outputs: outputs?.counts ?? null}) : endText(end, out, identity);
}

/** What the runs depend on besides the grid. */
function optionsText({visual}: Identity): string {
  if (visual === null) return '';
  const thresholds = (['recognisable', 'good'] as const).map(name => ` --${name} ${visual[name]}`);
  return ` --visual${thresholds.join('')}`;
}

/** Figures and report of a folder that has all its runs. */
async function present(
  out: string,
  identity: Identity,
  {summedUp}: Outputs,
  {figureWorker, signal, jobs}: Pick<ExperimentSurroundings, 'figureWorker' | 'signal'> & {readonly jobs: number},
): Promise<void> {
  const progress = startProgress(process.stderr, 'figures');
  const onProgress = (done: number, all: number): void => progress.show(done, all);
  const writing = {worker: figureWorker, jobs, signal, onProgress};
  const options = optionsText(identity);
  await presentExperiment(out, identity, {options, summedUp, ...writing}).finally(() => progress.end());
}

/** Joins parts; gives what is to be printed. */
export async function merge(
  command: Extract<Command, {name: 'merge'}>,
  around: Pick<ExperimentSurroundings, 'figureWorker' | 'signal'>,
): Promise<string> {
  const {parts, out, format} = command;
  const {identity, outputs} = await mergeExperiments(parts, out, around.signal);
  await present(out, identity, outputs, {...around, jobs: availableParallelism()});
  return format === 'json' ? json({out, outputs: outputs.counts}) : `${outputsText(outputs, out)}\n`;
}

/** What is said where an experiment is interrupted. */
export function goOnText({out}: ExperimentCommand): string {
  return out === undefined ? 'it was cancelled' : GO_ON;
}

/** What is said where what is done stays. */
export const GO_ON = 'it was cancelled; what is done stays, and --resume goes on with it';

function readGrid(name: string): Grid {
  const bytes = bytesOf(name, why => `${showName(name, 200)}: no file that can be read${why}`);
  const read = readBytes(bytes);
  if (!read.ok) throw new UsageError(`${showName(name, 200)}: ${read.message}`);
  const parsed = parseAnyGrid(read.value);
  if (!parsed.ok) throw problemsError(name, parsed.problems);
  return parsed.grid;
}

/** Live loads take the time that they take, and nothing is seen of them. */
function checkLive({grid, visual, out}: ExperimentCommand): void {
  if (visual !== undefined) throw new UsageError(`${showName(grid)}: --visual: not of a live load yet`);
  if (out === undefined)
    throw new UsageError(`${showName(grid)}: --dry-run: how long live loads take is not known beforehand`);
}

/** With the tokens of the environment; each pane goes first in its turn. */
function liveLoader(signal: AbortSignal): LoadLive {
  const tokenFor = liveTokensOf({tokens: []});
  return async (page, scenario, repeat) => {
    const firstPane = repeat % scenario.panes.length;
    const {panes} = await new LiveLoad(page, scenario, {signal, tokenFor, firstPane}).run();
    return panes.map((data, pane) => paneMetrics({scenario, pane, data}));
  };
}

/** What the eye gets is there with `--visual` only. */
function checkMetrics({metrics}: Grid, {grid, visual}: ExperimentCommand): void {
  const seen = metrics?.find(name => VISUAL_METRICS.some(metric => metric.name === name));
  if (seen === undefined || visual !== undefined) return;
  throw new UsageError(`${showName(grid)}: metrics has ${seen}: it is measured with --visual only`);
}

function hashOf(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(value ?? null))
    .digest('hex');
}

function expectationText(expected: Expectation, {jobs, shard}: ExperimentCommand): string {
  const {cells, runs, loads, cpuMsPerLoad, cpuS, wallS, realHours} = expected;
  const part = shard.of === WHOLE.of ? '' : `part ${shardText(shard)}: `;
  return [
    `${part}${runs} runs, ${loads} loads (${cells} cells)`,
    `CPU time ${cpuMsPerLoad.toFixed(2)} ms a load, ${spanText(cpuS)} in all`,
    `on this machine about ${spanText(wallS)} with ${jobs} ${jobs === 1 ? 'job' : 'jobs'}`,
    `over real networks ${realHours.toFixed(1)} h, one load after the other`,
    '',
  ].join('\n');
}

function spanText(seconds: number): string {
  if (seconds < 90) return `${seconds.toFixed(1)} s`;
  return seconds < 5400 ? `${(seconds / 60).toFixed(1)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

function endText({runs, before, outputs}: ExperimentEnd, out: string, {shard}: Identity): string {
  const there = before === 0 ? '' : `, ${before} of them were there`;
  const all = `${runs} runs are in ${showName(out, 200)}${there}`;
  if (outputs === null) return `${all}: part ${shardText(shard)}; interleave merge joins it with the others\n`;
  return `${all}\n${outputsText(outputs, out)}\n`;
}

function outputsText({counts: {cells, loads, incomplete}}: Outputs, out: string): string {
  const left = incomplete === 0 ? 'all complete' : `${incomplete} not complete: ${FILES.summary} names them`;
  const folder = showName(out, 200);
  return (
    `${folder}/${FILES.results}, ${folder}/${FILES.summary}: ${cells} cells, ${loads} loads, ${left}\n` +
    `${folder}/${REPORT}, ${folder}/${FIGURES}: the figures`
  );
}
