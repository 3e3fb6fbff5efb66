import {cellCount, paneCounts} from '../../app/study/experiment/grid.ts';
import {PAPERS} from '../../app/study/papers/list.ts';
import type {Paper, PaperGrid} from '../../app/study/papers/paper.ts';
import {gridOf} from '../jobs/papers/paperGrid.ts';

/** The help of `interleave reproduce`; the numbers of loads are counted. */
export function reproduceHelp(): string {
  return `interleave reproduce PAPER … --out DIR: a paper's runs again, our numbers beside its own

  PAPER                    ${[...PAPERS.map(({name}) => name), 'all'].join(', ')}
  --out DIR                where to: a new folder, or with --resume one that was begun
  --seeds ${USUAL_SEEDS}             of every cell, and 12 times as many in a row of those that verdicts look at (16 times of the
                           movies); 1,2,7 and 1-3,9 work too
  --jobs N                 threads; as many as there are cores
  --resume                 go on with what is in DIR, if there is anything
  --json                   every verdict with its numbers, for scripts

Loads with ${USUAL_COUNT} seeds, and what of:

${PAPERS.map(paperHelp).join('')}
DIR gets report.html with all verdicts, and a folder for each paper: its report.html with every claim and table, ours
beside theirs, whether ours agrees, by how much it differs, and what the runs that isolate a reason say; figures/; and a
folder for each grid with its results.csv and summary.json. The same seeds give the same files with any --jobs, however often
it was stopped or killed. Nothing is tuned to agree.

  interleave reproduce l06 --out l06
  interleave reproduce all --out papers --seeds 1-5
  interleave reproduce all --out papers --seeds 1-5 --resume
`;
}

function paperHelp({name, title, grids}: Paper): string {
  const counts = grids.map(loadsOf);
  const all = counts.reduce((sum, count) => sum + count, 0);
  const rows = grids.map(({name: grid, about}, i) => `    ${thousands(counts[i] ?? 0)}  ${grid}: ${about}\n`);
  return `  ${name}${thousands(all).slice(name.length - 2)}  ${title}\n${rows.join('')}`;
}

/** Panes of runs. */
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

/** N07's number of runs. */
export const USUAL_SEEDS = '1-50';
const USUAL_COUNT = 50;
