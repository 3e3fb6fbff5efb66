import type {SeedRow} from '../ipc/contract.ts';
import type {Pane} from '../pipelines/index.ts';
import {paneDocument} from '../scenario/document.ts';
import {AIMS, type Aim, aimTimes} from './aims.ts';
import type {Candidate} from './candidates.ts';
import {type Ranking, rank, type Standing} from './standing.ts';

/** How to set streams and scheduler for one aim. */
export interface AimAdvice extends Ranking {
  readonly aim: Aim;
  /** One for each candidate, in their order. */
  readonly standings: readonly CandidateStanding[];
  /** The candidate that is set now; null if it is none of them. */
  readonly now: number | null;
}

export interface CandidateStanding extends Standing {
  /** Loads in which it never came, which count as the time limit. */
  readonly never: number;
}

export interface Advice {
  readonly candidates: readonly Candidate[];
  /** Loads of each. */
  readonly seeds: number;
  readonly aims: readonly AimAdvice[];
  /** Aims that this page has not, or of which nothing is known. */
  readonly absent: readonly Aim[];
}

/** What is best for each aim; `rows` has the runs of each candidate, all of the same seeds. */
export function adviceOf(
  candidates: readonly Candidate[],
  rows: readonly (readonly SeedRow[])[],
  {pane, timeLimitMs}: {readonly pane: Pane; readonly timeLimitMs: number},
): Advice {
  const now = placeOf(candidates, pane);
  const aims = AIMS.flatMap(aim => {
    const times = rows.map(runs => aimTimes(aim, runs, timeLimitMs)).filter(each => each !== null);
    return times.length < rows.length ? [] : [aimAdvice(aim, times, now)];
  });
  const absent = AIMS.filter(aim => aims.every(each => each.aim !== aim));
  return {candidates, seeds: rows[0]?.length ?? 0, aims, absent};
}

function aimAdvice(
  aim: Aim,
  cells: readonly {readonly timesMs: readonly number[]; readonly never: number}[],
  now: number | null,
): AimAdvice {
  const {standings, ...ranking} = rank(cells.map(({timesMs}) => timesMs));
  const all = standings.map((standing, i) => ({...standing, never: cells[i]?.never ?? 0}));
  return {aim, ...ranking, standings: all, now};
}

function placeOf(candidates: readonly Candidate[], pane: Pane): number | null {
  const text = JSON.stringify(paneDocument(pane));
  const place = candidates.findIndex(each => JSON.stringify(paneDocument(each.pane)) === text);
  return place < 0 ? null : place;
}
