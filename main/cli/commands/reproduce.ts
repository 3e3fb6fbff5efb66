import {nearest, showName} from '../../../app/base/text.ts';
import {cellCount, paneCounts} from '../../../app/study/experiment/grid.ts';
import {countText, type Findings} from '../../../app/study/papers/findings.ts';
import {PAPERS} from '../../../app/study/papers/list.ts';
import type {Paper, PaperGrid} from '../../../app/study/papers/paper.ts';
import {gridOf} from '../../jobs/papers/paperGrid.ts';
import {reproduce as reproducePapers} from '../../jobs/papers/reproduce.ts';
import {EXPERIMENT_WORKER, FIGURE_WORKER} from '../bundled.ts';
import {type CommandContext, command} from '../command.ts';
import {CONTINUE, untilInterrupted} from '../interruption.ts';
import {JOBS, jobsOf} from '../options/jobs.ts';
import {type Format, folderOf, formatOf, RESUME, STUDY_FOLDER} from '../options/output.ts';
import {parseSeeds} from '../options/seeds.ts';
import {UsageError} from '../options/usageError.ts';
import {json, outLine} from '../output.ts';
import {type Progress, startProgress} from '../progress.ts';

interface ReproduceSettings {
  readonly papers: readonly Paper[];
  readonly seeds: readonly number[];
  readonly out: string;
  /** How many threads to use. */
  readonly jobs: number;
  readonly isResumed: boolean;
  readonly format: Format;
}

/** The default seeds. N07 also has 50 runs of each setting. */
const USUAL_SEEDS = '1-50';
const USUAL_COUNT = 50;
const ALL = 'all';

export const reproduce = command({
  name: 'reproduce',
  group: 'Run many loads as a study',
  summary: 'Repeat the papers’ experiments and compare the numbers',
  usage: ['PAPER … --out DIR [options]'],
  hasOperands: true,
  options: {
    out: STUDY_FOLDER,
    resume: RESUME,
    seeds: {
      type: 'string',
      value: USUAL_SEEDS,
      help:
        'The seeds of every cell. The cells that decide a verdict run with 12 times as many seeds, and the cells of ' +
        'the movies of N07 with 16 times as many. These seeds are consecutive. Other forms: 1,2,7 and 1-3,9.',
    },
    jobs: JOBS,
    json: {type: 'boolean', help: 'Prints every verdict with its numbers as JSON, for scripts.'},
  },
  // a getter, because counting the loads takes a moment that other commands need not wait for
  get details() {
    return `
PAPER is one or more of ${PAPERS.map(({name}) => name).join(', ')}, or ${ALL}.

The command writes report.html with all verdicts into DIR, and a folder for each paper. Each of these has its own
report.html, which shows every claim and table of the paper beside our results. It says whether our results agree, and
by how much they differ. There are additional runs: each of them tests one possible reason for a difference, and the
report says what it shows. For each cell of the smaller grids, a sentence names the causes of the difference between the
panes (docs/why.md). The folder of a paper also has figures/, and for each grid a folder with results.csv and
summary.json. The same seeds give the same files with any --jobs, however often the program was stopped or killed.
Nothing is tuned so that results agree.

The number of loads with ${USUAL_COUNT} seeds:

${PAPERS.map(paperHelp).join('')}`;
  },
  examples: [
    {does: 'Repeat one paper', line: 'interleave reproduce l06 --out l06'},
    {does: 'Repeat all of them with few seeds', line: 'interleave reproduce all --out papers --seeds 1-5'},
    {
      does: 'Continue after an interruption',
      line: 'interleave reproduce all --out papers --seeds 1-5 --resume',
    },
  ],
  read: ({values, operands}): ReproduceSettings => ({
    papers: papersOf(operands),
    out: folderOf(values),
    jobs: jobsOf(values.jobs),
    seeds: parseSeeds(values.seeds ?? USUAL_SEEDS),
    isResumed: values.resume ?? false,
    format: formatOf(values),
  }),
  run: (settings, context) =>
    untilInterrupted(async signal => {
      await context.write(await runPapers(settings, context, signal));
      return 0;
    }, CONTINUE),
});

/**
 * Returns the papers with these names, in the order of the list. The name `all` means every paper.
 * @throws UsageError for an unknown name
 */
function papersOf(names: readonly string[]): readonly Paper[] {
  const known = [...PAPERS.map(({name}) => name), ALL];
  if (names.length === 0) {
    throw new UsageError(`the paper is missing: interleave reproduce ${known.join('|')} --out DIR`);
  }
  const unknown = names.find(name => !known.includes(name));
  if (unknown !== undefined) {
    const near = nearest(unknown, known);
    const hint = near === undefined ? '' : `; did you mean ${near}?`;
    throw new UsageError(`there is no paper ${showName(unknown)}: the names are ${known.join(', ')}${hint}`);
  }
  return names.includes(ALL) ? PAPERS : PAPERS.filter(({name}) => names.includes(name));
}

/** Repeats the papers' experiments. @returns what the command prints. @throws ExperimentError, FileError */
async function runPapers(
  {papers, seeds, out, jobs, isResumed, format}: ReproduceSettings,
  {fixtures}: CommandContext,
  signal: AbortSignal,
): Promise<string> {
  const bars = new Map<string, Progress>();
  const end = (): void => {
    for (const bar of bars.values()) bar.end();
    bars.clear();
  };
  const all = await reproducePapers({
    papers,
    seeds,
    out,
    jobs,
    isResumed,
    fixtures,
    worker: EXPERIMENT_WORKER,
    figureWorker: FIGURE_WORKER,
    signal,
    onProgress: (what, done, of) => {
      if (!bars.has(what)) end();
      const bar = bars.get(what) ?? startProgress(process.stderr, what);
      bars.set(what, bar);
      bar.show(done, of);
    },
    onNote: note => process.stderr.write(outLine(note)),
  }).finally(end);
  return format === 'json' ? json(all.map(verdicts)) : all.map(table).join('\n') + reportText(out);
}

function verdicts({paper, claims}: Findings) {
  return {paper: paper.name, claims};
}

/**
 * Returns the paper's title and a line for each claim. A claim has one or more rows, each of which compares one number
 * or statement of the paper with our results. The line says how many rows agree, differ and are open. If there is only
 * one row, the line says by how much it differs, or why it is open.
 */
function table({paper, claims}: Findings): string {
  const lines = claims.map(({verdict, text, rows}) => {
    const detail = rows.length > 1 ? countText(rows) : (rows[0]?.size ?? '');
    return `  ${verdict.padEnd(WIDTH)}${text}${detail === '' ? '' : ` (${detail})`}\n`;
  });
  return `${paper.title}\n${lines.join('')}`;
}

function reportText(out: string): string {
  return `\n${showName(out, 200)}/report.html has all verdicts; the report of each paper is in its folder\n`;
}

const WIDTH = 'differs  '.length;

function paperHelp({name, title, grids}: Paper): string {
  const counts = grids.map(loadsOf);
  const all = counts.reduce((sum, count) => sum + count, 0);
  const rows = grids.map(({name: grid, about}, i) => `    ${thousands(counts[i] ?? 0)}  ${grid}: ${about}\n`);
  return `  ${name}${thousands(all).slice(name.length - 2)}  ${title}\n${rows.join('')}`;
}

/** Returns the number of loads of a grid, which is the number of panes in all its runs. */
function loadsOf(paperGrid: PaperGrid): number {
  const grid = gridOf(
    paperGrid,
    Array.from({length: USUAL_COUNT}, (_, seed) => seed + 1),
  );
  const panesOf = paneCounts(grid);
  let panes = 0;
  for (let cell = 0; cell < cellCount(grid); cell++) panes += panesOf(cell);
  return panes * grid.seeds.length;
}

function thousands(count: number): string {
  return count.toLocaleString('en').padStart(9);
}
