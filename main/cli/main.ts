import {join} from 'node:path';
import type {PageSnapshot} from '../../app/page/page.ts';
import {DEFAULT_THRESHOLDS, type Eye, type Thresholds} from '../../app/run/quality/states.ts';
import {PRESETS} from '../../app/run/scenario/presets.ts';
import type {Scenario} from '../../app/run/scenario/scenario.ts';
import {widened} from '../../app/study/advice/helpList.ts';
import {predictAll} from '../../app/study/model/prediction.ts';
import {conversionNotes} from '../../app/telling/narration/conversions.ts';
import {FileError} from '../files/fileError.ts';
import {writeWhole} from '../files/outputFile.ts';
import {program} from '../files/program.ts';
import {writeOut} from '../files/standardOutput.ts';
import {adviseLoads} from '../jobs/advice/adviseLoads.ts';
import {ExperimentError} from '../jobs/experiment/experimentError.ts';
import {qualityOfPage} from '../jobs/quality/qualityOfPage.ts';
import {LiveError} from '../live/base/liveAddress.ts';
import {MovieError} from '../media/studio/studio.ts';
import {FetchError, PageError} from '../pages/base/pageErrors.ts';
import {openPageFor} from '../pages/convertPage.ts';
import {fixtureNames, openPage} from '../pages/openPage.ts';
import {runSeeds} from '../workers/runSeeds.ts';
import {adviseResult, adviseTable} from './advise.ts';
import {anyScenarioWithPage, type PageSurroundings, scenarioWithPage, storyWithPages} from './chosenPage.ts';
import {type AdviseCommand, type Command, type ExperimentCommand, parseCommand} from './command.ts';
import {type ExperimentSurroundings, experiment, GO_ON, goOnText, merge} from './experiments.ts';
import {fetchPage} from './fetchPage.ts';
import {serveGateway} from './gatewayServer.ts';
import {help} from './help.ts';
import {preparedUntilInterrupted, untilInterrupted} from './interruption.ts';
import {refuseLive} from './liveOptions.ts';
import {loadAsFile, pageOfFile} from './loadFile.ts';
import {takePictures, takeStory} from './movies.ts';
import {namespacePath} from './namespacePath.ts';
import {json, outLine, tellLeftOut} from './output.ts';
import {relayPath} from './path.ts';
import {startProgress} from './progress.ts';
import {reproducePapers} from './reproduce.ts';
import {csv, noteName, resultDocument, table} from './result.ts';
import {runLive, saveLive} from './runLive.ts';
import {openTraces, traceResult} from './runTraces.ts';
import {servePage} from './serve.ts';
import {runShim} from './shim.ts';
import {chosenStory} from './storyFile.ts';
import {chosenRun} from './traceOptions.ts';
import {typicalResult, typicalTable} from './typical.ts';
import {UsageError} from './usageError.ts';

export interface CommandLine {
  /** The repository. */
  readonly root: string;
  /** Builds the window's page, which pictures are taken of, where it is out of date. */
  readonly buildRenderer: () => Promise<void>;
  /** Standard output, unless another is given. */
  readonly writeOut?: (bytes: string | Uint8Array) => Promise<void>;
}

/**
 * The command line.
 * @returns the exit code: 0, or after one line on standard error that says what is wrong 2 for bad input or an
 * output that cannot be written, 1 for a picture or movie that could not be made, a page that could not be had, or a
 * live load that is not whole, 128 + the signal that ended it.
 */
export async function main(args: readonly string[], commandLine: CommandLine): Promise<number> {
  process.stderr.off('error', ignore).on('error', ignore);
  try {
    return await perform(parseCommand(args), commandLine);
  } catch (error) {
    // whoever read it has seen enough
    if (error instanceof FileError && error.code === 'EPIPE') return 0;
    if (error instanceof FileError) return complain(error, 2);
    const isInput = error instanceof UsageError || error instanceof PageError;
    if (isInput || error instanceof ExperimentError) return complain(error, 2);
    if (error instanceof MovieError || error instanceof FetchError) return complain(error, 1);
    if (error instanceof LiveError) return complain(error, 1);
    throw error;
  }
}

/** There is nowhere left to tell it. */
function ignore(): void {}

async function perform(command: Command, commandLine: CommandLine): Promise<number> {
  const {root, buildRenderer, writeOut: write = writeOut} = commandLine;
  const fixtures = join(root, 'fixtures/pages');
  const around = (signal: AbortSignal): PageSurroundings => ({fixtures, module: GATEWAY, signal});
  const print = async (text: string): Promise<number> => {
    await write(text);
    return 0;
  };
  switch (command.name) {
    case 'help':
      return print(help(command.topic));
    case 'version':
      return print(`${program()}\n`);
    case 'run':
    case 'typical': {
      if (command.name === 'run' && command.traces.length > 0) {
        const computed = await preparedUntilInterrupted(
          signal => openTraces(command, fixtures, signal),
          panes => traceResult(command, panes),
        );
        return 'code' in computed ? computed.code : print(computed.result);
      }
      const {visual} = command;
      let chosen: {scenario: Scenario; page: PageSnapshot; eye: Eye | undefined} | undefined;
      // runs are ended by what ends a program: they leave nothing behind
      const code = await untilInterrupted(async signal => {
        const choose = command.name === 'run' ? anyScenarioWithPage : scenarioWithPage;
        const scenario = await choose(command, around(signal));
        const page = await openPageFor(scenario, fixtures);
        tellLeftOut(page);
        if (command.name === 'run' && scenario.path.live !== undefined) {
          const {printed, code} = await runLive(command, scenario, page, signal);
          await write(printed);
          return code;
        }
        if (command.name === 'run') refuseLive(command);
        const eye = visual === undefined ? undefined : await eyeOf(page, scenario, visual, commandLine, signal);
        // whoever ended it before the runs began does not want them
        signal.throwIfAborted();
        chosen = {scenario, page, eye};
        return 0;
      });
      return chosen === undefined ? code : print(await runSeveral(command, chosen));
    }
    case 'advise':
      return untilInterrupted(async signal => print(await advise(command, commandLine, signal)));
    case 'trace':
    case 'pcap':
    case 'qlog':
    case 'har': {
      const {out} = command;
      const computed = await preparedUntilInterrupted(
        async signal => {
          const choose = command.name === 'trace' ? anyScenarioWithPage : scenarioWithPage;
          const scenario = await choose(command, around(signal));
          if (command.name === 'trace' && scenario.path.live !== undefined)
            return saveLive(command, scenario, {fixtures, signal, write});
          if (command.name === 'trace') refuseLive(command);
          return {scenario, page: await pageOfFile(command, scenario, fixtures)};
        },
        ({scenario, page}) => loadAsFile(command, page, scenario),
      );
      if ('code' in computed) return computed.code;
      const {result} = computed;
      return untilInterrupted(async signal => {
        if (out === '-') await write(result);
        else await writeWhole(out, result, signal);
        return 0;
      });
    }
    case 'record':
    case 'still':
    case 'filmstrip': {
      return untilInterrupted(async signal => {
        if (command.traces.length > 0) {
          const run = chosenRun(command.traces);
          await buildRenderer();
          return print(await takePictures(command, {run}, root, signal));
        }
        const scenario = await scenarioWithPage(command, around(signal));
        // what is wrong with the page is told at once, as by the other commands
        await openPageFor(scenario, fixtures);
        await buildRenderer();
        return print(await takePictures(command, {scenario}, root, signal));
      });
    }
    case 'record-story': {
      return untilInterrupted(async signal => {
        const chosen = chosenStory(command.story, join(root, 'fixtures/stories'));
        const story = await storyWithPages(chosen, command, around(signal));
        for (const {scenario} of story.steps) await openPageFor(scenario, fixtures);
        await buildRenderer();
        return print(await takeStory(command, story, root, signal));
      });
    }
    case 'experiment':
      return untilInterrupted(
        async signal => print(await experiment(command, surroundings(command, commandLine, signal))),
        goOnText(command),
      );
    case 'reproduce':
      return untilInterrupted(async signal => {
        const workers = {worker: EXPERIMENT_WORKER, figureWorker: FIGURE_WORKER};
        return print(await reproducePapers(command, {fixtures, ...workers, signal}));
      }, GO_ON);
    case 'fetch':
      return untilInterrupted(async signal => print(await fetchPage(command, GATEWAY, signal)));
    case 'gateway':
      return untilInterrupted(signal => serveGateway(command, {module: GATEWAY, write, signal}), 'the gateway ends');
    case 'serve':
      return untilInterrupted(signal => servePage(command, {...around(signal), write}), 'the server ends');
    case 'path':
      return untilInterrupted(
        signal => (command.namespace === undefined ? relayPath : namespacePath)(command, {write, signal}),
        'the path ends',
      );
    case 'shim':
      return untilInterrupted(signal => runShim(command, {write, signal}), 'the shim ends');
    case 'merge':
      return untilInterrupted(async signal => print(await merge(command, {figureWorker: FIGURE_WORKER, signal})));
    case 'presets':
      return print(command.format === 'json' ? json(PRESETS) : presetList());
    case 'pages':
      return print(await listPages(command.format, fixtures));
  }
}

function complain({message}: Error, code: number): number {
  process.stderr.write(outLine(message));
  return code;
}

/** Of the page as it is now; tells how far it is. */
async function runSeveral(
  command: Extract<Command, {name: 'run' | 'typical'}>,
  {scenario, page, eye}: {scenario: Scenario; page: PageSnapshot; eye: Eye | undefined},
): Promise<string> {
  const seeds = command.seeds ?? [scenario.seed];
  const progress = startProgress(process.stderr, 'runs');
  const worker = new URL('./worker.mjs', import.meta.url); // beside the bundle of this file
  const onProgress = (done: number): void => progress.show(done, seeds.length);
  const seen = eye === undefined ? {} : {eye};
  const runs = await runSeeds({page, scenario, seeds, worker, ...seen, onProgress});
  progress.end();
  if (command.name === 'typical') {
    const typical = typicalResult(scenario, runs);
    return command.format === 'json' ? json(typical) : typicalTable(scenario, typical);
  }
  const result = resultDocument(scenario, page, runs, predictAll(scenario, page), eye);
  if (command.format === 'json') return json(result);
  if (command.format === 'csv') return csv(result, scenario.panes);
  const notes = conversionNotes(page, scenario.panes, scenario.panes.map(noteName));
  return [table(result, scenario), ...notes.map(note => `${note}\n`)].join('');
}

async function advise(command: AdviseCommand, commandLine: CommandLine, signal: AbortSignal): Promise<string> {
  const {seeds, aims, visual, jobs: threads, format} = command;
  const fixtures = join(commandLine.root, 'fixtures/pages');
  const scenario = await scenarioWithPage(command, {fixtures, module: GATEWAY, signal});
  const served = await openPageFor(scenario, fixtures);
  tellLeftOut(served);
  const wide = widened(scenario, served);
  const page = await openPageFor(wide, fixtures);
  const eye = visual === undefined ? null : await eyeOf(page, wide, visual, commandLine, signal);
  const progress = startProgress(process.stderr, 'loads');
  const onProgress = (done: number, all: number): void => progress.show(done, all);
  const options = {page, scenario, seeds, aims, eye, threads, signal, onProgress, worker: ADVICE_WORKER};
  const advised = await adviseLoads(options).finally(() => progress.end());
  return format === 'json'
    ? json(adviseResult(scenario, served, seeds, advised))
    : adviseTable(scenario, seeds, advised);
}

/** @throws MovieError where there is no Chromium that could measure it. */
async function eyeOf(
  page: PageSnapshot,
  scenario: Scenario,
  thresholds: Thresholds,
  {root, buildRenderer}: CommandLine,
  signal: AbortSignal,
): Promise<Eye> {
  const progress = startProgress(process.stderr, 'objects looked at');
  const onProgress = (done: number, all: number): void => progress.show(done, all);
  try {
    const options = {root, buildRenderer, signal, onProgress};
    return {thresholds, quality: await qualityOfPage(page, scenario, options)};
  } finally {
    progress.end();
  }
}

function surroundings(
  {visual = DEFAULT_THRESHOLDS}: ExperimentCommand,
  commandLine: CommandLine,
  signal: AbortSignal,
): ExperimentSurroundings {
  return {
    fixtures: join(commandLine.root, 'fixtures/pages'),
    eyeOf: ({page, scenario}) => eyeOf(page, scenario, visual, commandLine, signal),
    worker: EXPERIMENT_WORKER,
    figureWorker: FIGURE_WORKER,
    module: GATEWAY,
    signal,
  };
}

// beside the bundle of this file
const EXPERIMENT_WORKER = new URL('./experimentWorker.mjs', import.meta.url);
const ADVICE_WORKER = new URL('./adviceWorker.mjs', import.meta.url);
const GATEWAY = new URL('./gateway.mjs', import.meta.url);
const FIGURE_WORKER = new URL('./figureWorker.mjs', import.meta.url);

function presetList(): string {
  const width = Math.max(...PRESETS.map(preset => preset.name.length));
  return PRESETS.map(({name, title, group, source, varies}, i) => {
    const indent = `\n${' '.repeat(width + 2)}`;
    const ranges = varies.length === 0 ? '' : `${indent}--set ${varies.join(', --set ')}`;
    const heading = group === PRESETS[i - 1]?.group ? '' : `${group}\n\n`;
    return `${heading}${name.padEnd(width)}  ${title}${indent}${source}${ranges}\n`;
  }).join('\n');
}

interface PageRow {
  readonly name: string;
  readonly objects: number;
  readonly htmlBytes: number;
  readonly objectBytes: number;
}

async function listPages(format: 'json' | 'table', fixtures: string): Promise<string> {
  const rows: PageRow[] = [];
  for (const name of fixtureNames(fixtures)) {
    const [index, ...objects] = (await openPage({kind: 'named', name}, fixtures)).objects;
    const objectBytes = objects.reduce((sum, object) => sum + (object.body?.length ?? 0), 0);
    rows.push({name, objects: objects.length, htmlBytes: index?.body?.length ?? 0, objectBytes});
  }
  return format === 'json' ? json(rows) : pageList(rows);
}

function pageList(rows: readonly PageRow[]): string {
  const width = Math.max(...rows.map(row => row.name.length));
  return rows
    .map(
      row =>
        `${row.name.padEnd(width)}  HTML ${row.htmlBytes} B, ${row.objects} objects of ${row.objectBytes} B in all\n`,
    )
    .join('');
}
