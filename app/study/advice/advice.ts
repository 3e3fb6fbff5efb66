import type {SeedRow} from '../../host/contract.ts';
import type {Pane} from '../../pipelines/index.ts';
import type {Scenario} from '../../run/scenario/scenario.ts';
import {AIMS, type Aim, aimTimes} from './aims.ts';
import {browserCandidates} from './browsers.ts';
import {type AdvisedPane, advisedPane, type Candidate, candidatesOf, isSamePane} from './candidates.ts';
import {type Ranking, rank, type Standing} from './standing.ts';

/** What is asked of a scenario's page and path. */
export interface Questions {
  readonly advised: AdvisedPane;
  /** How to set the streams and scheduler of the advised side. */
  readonly streams: readonly Candidate[];
  /** Over which of what browsers have. */
  readonly browsers: readonly Candidate[];
}

/** `objects` is how many the page names. */
export function questionsOf(scenario: Pick<Scenario, 'panes' | 'path'>, objects: number): Questions {
  const advised = advisedPane(scenario);
  return {
    advised,
    streams: candidatesOf(advised.pane, objects),
    browsers: browserCandidates(advised.pane, scenario.path),
  };
}

/** In the order in which their runs are wanted. */
export function candidatePanes({streams, browsers}: Questions): readonly Pane[] {
  return [...streams, ...browsers].map(({pane}) => pane);
}

/** One way or setting for one aim. */
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

/** The answers to {@link Questions}. */
export interface Answers {
  readonly streams: Advice;
  readonly browsers: Advice;
}

/** `rows` has the runs of each of {@link candidatePanes}, all of the same seeds. */
export function answersOf(
  {advised: {pane}, streams, browsers}: Questions,
  rows: readonly (readonly SeedRow[])[],
  options: {readonly timeLimitMs: number; readonly aims?: readonly Aim[]},
): Answers {
  return {
    streams: adviceOf(streams, rows.slice(0, streams.length), {...options, pane}),
    browsers: adviceOf(browsers, rows.slice(streams.length), {...options, pane: null}),
  };
}

interface AdviceOptions {
  /** What is set now. */
  readonly pane: Pane | null;
  readonly timeLimitMs: number;
  /** Absent: all that there are. */
  readonly aims?: readonly Aim[];
}

/** What is best for each aim; `rows` has the runs of each candidate, all of the same seeds. */
export function adviceOf(
  candidates: readonly Candidate[],
  rows: readonly (readonly SeedRow[])[],
  {pane, timeLimitMs, aims: wanted = AIMS}: AdviceOptions,
): Advice {
  const now = pane === null ? -1 : candidates.findIndex(each => isSamePane(each.pane, pane));
  const aims = wanted.flatMap(aim => {
    const times = rows.map(runs => aimTimes(aim, runs, timeLimitMs)).filter(each => each !== null);
    return times.length < rows.length ? [] : [aimAdvice(aim, times, now < 0 ? null : now)];
  });
  const absent = wanted.filter(aim => aims.every(each => each.aim !== aim));
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
