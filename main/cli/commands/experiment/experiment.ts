import {createHash} from 'node:crypto';
import {dirname} from 'node:path';
import {showName} from '../../../../app/base/text.ts';
import {paneMetrics} from '../../../../app/run/metrics/paneMetrics.ts';
import type {Thresholds} from '../../../../app/run/quality/states.ts';
import {readBytes} from '../../../../app/run/scenario/readScenario.ts';
import {type Grid, isLiveGrid, parseAnyGrid} from '../../../../app/study/experiment/grid.ts';
import type {Identity} from '../../../../app/study/experiment/identity.ts';
import {VISUAL_METRICS} from '../../../../app/study/experiment/metricList.ts';
import {MOST_SHARDS, readShard, type Shard, shardText, WHOLE} from '../../../../app/study/experiment/shard.ts';
import {type Expectation, expectExperiment} from '../../../jobs/experiment/dryRun.ts';
import {type ExperimentEnd, runExperiment} from '../../../jobs/experiment/experiment.ts';
import {openGridPages} from '../../../jobs/experiment/gridPages.ts';
import type {LoadLive, SeenPage} from '../../../jobs/experiment/piece.ts';
import {LiveLoad} from '../../../live/client/liveLoad.ts';
import type {Trust} from '../../../pages/base/trust.ts';
import {EXPERIMENT_WORKER, GATEWAY} from '../../bundled.ts';
import {type CommandContext, command} from '../../command.ts';
import {CONTINUE, untilInterrupted} from '../../interruption.ts';
import {withPage} from '../../options/chosenPage.ts';
import {JOBS, jobsOf} from '../../options/jobs.ts';
import {liveTokensOf} from '../../options/live.ts';
import {bytesOf} from '../../options/namedFile.ts';
import {type Format, folderOf, formatOf, RESUME, STUDY_FOLDER} from '../../options/output.ts';
import {problemsError, withTraces} from '../../options/scenario.ts';
import {ACCESS_OPTIONS, trustOf} from '../../options/trust.ts';
import {UsageError} from '../../options/usageError.ts';
import {VISUAL_OPTIONS, visualOf} from '../../options/visual.ts';
import {json, outLine, printLeftOut} from '../../output.ts';
import {withProgress} from '../../progress.ts';
import {eyeOf} from '../eye.ts';
import {outputsText, present} from './present.ts';

interface ExperimentSettings {
  /** The path of the grid file. */
  readonly grid: string;
  /** The folder for the results. Undefined for a dry run. */
  readonly out: string | undefined;
  /** How many threads to use. */
  readonly jobs: number;
  readonly isResumed: boolean;
  readonly isPrivateAllowed: boolean;
  readonly trust: Trust | undefined;
  readonly shard: Shard;
  readonly visual: Thresholds | undefined;
  readonly format: Format;
}

export const experiment = command({
  name: 'experiment',
  group: 'Run many loads as a study',
  summary: 'Run every combination of settings and seeds, with statistics',
  usage: ['FILE --out DIR [options]', 'FILE --dry-run [options]'],
  hasOperands: true,
  options: {
    out: STUDY_FOLDER,
    'dry-run': {
      type: 'boolean',
      help:
        'Only prints how many runs there are and how long they will take. The estimate comes from some of the loads. ' +
        'Computing them takes about two seconds.',
    },
    resume: RESUME,
    jobs: JOBS,
    shard: {
      type: 'string',
      value: 'I/N',
      help:
        `Runs only part I of N, so that several machines can share the work. N is at most ${MOST_SHARDS}. interleave ` +
        'merge joins the parts.',
    },
    ...VISUAL_OPTIONS,
    ...ACCESS_OPTIONS,
    json: {type: 'boolean', help: 'Prints a summary of the runs as JSON, for scripts.'},
  },
  details: `
FILE is a grid (JSON). An axis is a setting, named as in --set, with its values. A cell is one combination of the values
of all axes. Every cell runs with every seed. A grid has at most 20000 cells and 10000000 runs.

  {
    "base": "n08-south-asia",                       a preset or a scenario
    "axes": {
      "path.loss": {"from": 0, "to": 0.1, "step": 0.01},   a range of values
      "panes.1.streams": [1, 4, 10],                a list of values
      "path": [                                     several settings together
        {"label": "near", "path.rttMs": 20, "path.rateBps": 10000000},
        {"label": "far", "path.rttMs": 600, "path.rateBps": 1000000}
      ]
    },
    "seeds": "1-50",                                or a list
    "metrics": ["pageTimeMs", "p50PageMs"],         the default is all metrics
    "name": "loss and streams"                      the title of the report
  }

The command writes these files into DIR:

  results.csv      A row for each run and pane: the values of the axes, the seed,
                   the outcome, and the metrics of interleave run --csv.
  summary.json     For each cell and pane: the incomplete runs with the reasons,
                   and for each metric the mean and the median, both with 95 %
                   intervals, and the quartiles. The time of an event also has
                   a mean over all runs ("restricted"), in which a run without
                   the event counts as the time limit. Panes are compared seed
                   by seed. If an axis chooses the pipeline, its values are
                   compared in the same way ("across").
  figures/         Means against the x axis, box plots and distributions, and
                   PPage and PRen. The x axis is loss, or else the axis of
                   numbers with the most values. If an axis chooses the
                   pipeline, each pipeline has a line. Each figure has five
                   files: SVG and PNG for paper (.svg, .png) and for a screen
                   (.screen.svg, .screen.png), and its data (.csv).
  report.html      The figures, tables and settings on one page that needs no
                   other file.
  experiment.json  The grid with every default, and the hashes of its pages.
  runs.ndjson      The runs, cell by cell and seed by seed. --resume needs this
                   file and experiment.json.

The same grid gives the same files, byte for byte, on every machine and with any --jobs. It makes no difference whether
the grid ran as a whole or in parts, or how often the command was stopped or killed. Only the text in PNGs depends on
the machine's fonts. Only one program at a time may use DIR.

The path of a grid may be live (path.live may also be an axis). Live runs are loaded one after the other, and nothing is
computed at the same time. A seed is then the number of a repetition: each pane is loaded once, and each repetition
begins with another pane. The token is read from INTERLEAVE_TOKEN.

To use several machines, give each of them Interleave, the grid, and a DIR on a disk that they share. Then run
interleave merge parts/* --out n07.

  GNU parallel over ssh:
    parallel -j 1 -S alpha,beta --wd . npx interleave experiment n07.grid.json \\
      --shard {}/8 --out parts/{} --resume ::: 1 2 3 4 5 6 7 8

  Slurm:
    #SBATCH --array=1-8
    #SBATCH --cpus-per-task=4
    #SBATCH --requeue
    srun npx interleave experiment n07.grid.json \\
      --shard $SLURM_ARRAY_TASK_ID/8 --jobs $SLURM_CPUS_PER_TASK \\
      --out parts/$SLURM_ARRAY_TASK_ID --resume

  Kubernetes:
    spec: {completions: 8, parallelism: 8, completionMode: Indexed, template: {…
      command: [sh, -c, "npx interleave experiment n07.grid.json --resume
        --shard $((JOB_COMPLETION_INDEX + 1))/8 --out /parts/$JOB_COMPLETION_INDEX"]
`,
  examples: [
    {
      does: 'Estimate how long a grid takes',
      line: 'interleave experiment fixtures/experiments/n07.grid.json --dry-run',
    },
    {does: 'Run the grid', line: 'interleave experiment fixtures/experiments/n07.grid.json --out n07'},
    {
      does: 'Continue after an interruption',
      line: 'interleave experiment fixtures/experiments/n07.grid.json --out n07 --resume',
    },
  ],
  read({values, operands}): ExperimentSettings {
    const [grid, other] = operands;
    if (grid === undefined) throw new UsageError('the grid file is missing: interleave experiment FILE --out DIR');
    if (other !== undefined) throw new UsageError(`an experiment has one grid file: ${grid} and ${other} are two`);
    const shard = values.shard === undefined ? WHOLE : readShard(values.shard);
    if (shard === undefined) {
      throw new UsageError(
        `--shard is ${values.shard || 'empty'}: must be I/N like 2/8, where I is 1 to N, and N at most ${MOST_SHARDS}`,
      );
    }
    return {
      grid,
      shard,
      jobs: jobsOf(values.jobs),
      visual: visualOf(values),
      out: values['dry-run'] ? undefined : folderOf(values),
      isResumed: values.resume ?? false,
      isPrivateAllowed: values['allow-private'] ?? false,
      trust: trustOf(values),
      format: formatOf(values),
    };
  },
  run: (settings, context) =>
    untilInterrupted(
      async signal => {
        await context.write(await runGrid(settings, context, signal));
        return 0;
      },
      settings.out === undefined ? undefined : CONTINUE,
    ),
});

/** Runs a grid, or estimates how long its runs take. @returns what the command prints. @throws UsageError */
async function runGrid(settings: ExperimentSettings, context: CommandContext, signal: AbortSignal): Promise<string> {
  const {out, shard, visual, jobs, format} = settings;
  const {fixtures} = context;
  const grid = readGrid(settings.grid);
  checkMetrics(grid, settings);
  if (isLiveGrid(grid)) checkLive(settings);
  const {pages, pageOf} = await openGridPages(grid, fixtures, {
    resolve: scenario => withPage(scenario, settings, {fixtures, module: GATEWAY, signal}),
  });
  for (const {page} of pages) printLeftOut(page);
  const isPlan = out === undefined;
  const seen: SeenPage[] = [];
  for (const {page, scenario} of pages) {
    const eye = visual === undefined || isPlan ? undefined : await eyeOf(page, scenario, visual, context, signal);
    seen.push(eye === undefined ? {page} : {page, eye});
  }
  const qualities = seen.map(({eye}) => hashOf(eye?.quality));
  const identity: Identity = {
    grid,
    shard,
    pages: pages.map(({name, page}) => [name, page.hash]),
    visual: visual === undefined ? null : {...visual, qualities},
  };
  if (isPlan) {
    const expected = await expectExperiment(identity, seen, pageOf, {jobs, signal});
    return format === 'json' ? json(expected) : expectationText(expected, settings);
  }
  const end = await withProgress('runs', show =>
    runExperiment({
      identity,
      pages: seen,
      pageOf,
      out,
      jobs,
      isResumed: settings.isResumed,
      worker: EXPERIMENT_WORKER,
      signal,
      onProgress: (done, all, before) => show(done - before, all - before),
      onNote: note => process.stderr.write(outLine(note)),
      loadLive: liveLoader(signal),
    }),
  );
  const {outputs} = end;
  if (outputs !== null) await present(out, identity, outputs, {signal, jobs});
  return format === 'json' ? json({out, ...end, outputs: outputs?.counts ?? null}) : endText(end, out, identity);
}

function readGrid(name: string): Grid {
  const bytes = bytesOf(name, why => `${showName(name, 200)}: no file that can be read${why}`);
  const read = readBytes(bytes);
  if (!read.ok) throw new UsageError(`${showName(name, 200)}: ${read.message}`);
  const parsed = parseAnyGrid(withTraces(read.value, dirname(name)));
  if (!parsed.ok) throw problemsError(name, parsed.problems);
  return parsed.grid;
}

/** @throws UsageError for options that live loads do not support */
function checkLive({grid, visual, out}: ExperimentSettings): void {
  if (visual !== undefined) throw new UsageError(`${showName(grid)}: --visual: live loads have no visual metrics yet`);
  if (out === undefined)
    throw new UsageError(`${showName(grid)}: --dry-run: the time of live loads cannot be estimated`);
}

/**
 * Returns a function that loads live, with the tokens in `INTERLEAVE_TOKEN`. Each repetition begins with another pane,
 * so that no pane is always loaded first.
 */
function liveLoader(signal: AbortSignal): LoadLive {
  const tokenFor = liveTokensOf({tokens: []});
  return async (page, scenario, repeat) => {
    const firstPane = repeat % scenario.panes.length;
    const {panes} = await new LiveLoad(page, scenario, {signal, tokenFor, firstPane}).run();
    return panes.map((data, pane) => paneMetrics({scenario, pane, data}));
  };
}

/** @throws UsageError for a metric that is not measured without `--visual` */
function checkMetrics({metrics}: Grid, {grid, visual}: ExperimentSettings): void {
  const seen = metrics?.find(name => VISUAL_METRICS.some(metric => metric.name === name));
  if (seen === undefined || visual !== undefined) return;
  throw new UsageError(`${showName(grid)}: metrics has ${seen}, which is only measured with --visual`);
}

function hashOf(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(value ?? null))
    .digest('hex');
}

function expectationText(expected: Expectation, {jobs, shard}: ExperimentSettings): string {
  const {cells, runs, loads, cpuMsPerLoad, cpuS, wallS, realHours} = expected;
  const part = shard.of === WHOLE.of ? '' : `part ${shardText(shard)}: `;
  return [
    `${part}${runs} runs, ${loads} loads (${cells} cells)`,
    `CPU time ${cpuMsPerLoad.toFixed(2)} ms a load, ${spanText(cpuS)} in all`,
    `on this machine about ${spanText(wallS)} with ${jobs} ${jobs === 1 ? 'job' : 'jobs'}`,
    `in real time ${realHours.toFixed(1)} h, if the loads ran one after the other over a real network`,
    '',
  ].join('\n');
}

function spanText(seconds: number): string {
  if (seconds < 90) return `${seconds.toFixed(1)} s`;
  return seconds < 5400 ? `${(seconds / 60).toFixed(1)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

function endText({runs, before, outputs}: ExperimentEnd, out: string, {shard}: Identity): string {
  const there = before === 0 ? '' : `, ${before} of them from an earlier start`;
  const all = `${runs} runs are in ${showName(out, 200)}${there}`;
  if (outputs === null) return `${all}: part ${shardText(shard)}; interleave merge joins it with the other parts\n`;
  return `${all}\n${outputsText(outputs, out)}\n`;
}
