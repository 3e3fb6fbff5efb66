import {nearest, showName} from '../../app/base/text.ts';
import {countText, type Findings} from '../../app/study/papers/findings.ts';
import {PAPERS} from '../../app/study/papers/list.ts';
import type {Paper} from '../../app/study/papers/paper.ts';
import {reproduce} from '../jobs/papers/reproduce.ts';
import {json, outLine} from './output.ts';
import {type Progress, startProgress} from './progress.ts';
import {UsageError} from './usageError.ts';

export interface ReproduceCommand {
  readonly name: 'reproduce';
  readonly papers: readonly Paper[];
  readonly seeds: readonly number[];
  readonly out: string;
  /** Threads. */
  readonly jobs: number;
  readonly isResumed: boolean;
  readonly format: 'json' | 'table';
}

export interface ReproduceSurroundings {
  /** Folder of the pages that come with the program. */
  readonly fixtures: string;
  /** `main/jobs/experiment/experimentWorker.ts`, bundled. */
  readonly worker: URL;
  /** `main/media/figures/figureWorker.ts`, bundled. */
  readonly figureWorker: URL;
  readonly signal: AbortSignal;
}

/** Papers by their names, `all` for every one, in the order of the list. @throws UsageError for a name that is none */
export function papersOf(names: readonly string[]): readonly Paper[] {
  const known = [...PAPERS.map(({name}) => name), ALL];
  if (names.length === 0) {
    throw new UsageError(`the paper is missing: interleave reproduce ${known.join('|')} --out DIR`);
  }
  const unknown = names.find(name => !known.includes(name));
  if (unknown !== undefined) {
    const near = nearest(unknown, known);
    const hint = near === undefined ? '' : `; did you mean ${near}?`;
    throw new UsageError(`there is no paper ${showName(unknown)}: there are ${known.join(', ')}${hint}`);
  }
  return names.includes(ALL) ? PAPERS : PAPERS.filter(({name}) => names.includes(name));
}

/** Runs papers again; gives what is to be printed. @throws ExperimentError @throws FileError */
export async function reproducePapers(command: ReproduceCommand, around: ReproduceSurroundings): Promise<string> {
  const {papers, seeds, out, jobs, isResumed, format} = command;
  const bars = new Map<string, Progress>();
  const end = (): void => {
    for (const bar of bars.values()) bar.end();
    bars.clear();
  };
  const all = await reproduce({
    papers,
    seeds,
    out,
    jobs,
    isResumed,
    ...around,
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

/** A line a claim: how many of its rows agree, or of one alone by how much it differs, or why it is open. */
function table({paper, claims}: Findings): string {
  const lines = claims.map(({verdict, text, rows}) => {
    const told = rows.length > 1 ? countText(rows) : (rows[0]?.size ?? '');
    return `  ${verdict.padEnd(WIDTH)}${text}${told === '' ? '' : ` (${told})`}\n`;
  });
  return `${paper.title}\n${lines.join('')}`;
}

function reportText(out: string): string {
  return `\n${showName(out, 200)}/report.html has all verdicts, and a report for each paper is in its folder\n`;
}

const ALL = 'all';
const WIDTH = 'differs  '.length;
