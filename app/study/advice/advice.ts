import type {SeedRow} from '../../host/contract.ts';
import type {Pane} from '../../pipelines/index.ts';
import type {Scenario} from '../../run/scenario/scenario.ts';
import {AIMS, type Aim, aimTimes} from './aims.ts';
import {browserCandidates} from './browsers.ts';
import {type AdvisedPane, advisedPane, type Candidate, candidatesOf, isSamePane} from './candidates.ts';
import {type Ranking, rank, type Standing} from './standing.ts';

/**
 * The two questions that advice answers about a scenario's page and path: which number of streams and which scheduler
 * are best, and which of the protocols that browsers support is best. A question is the list of the candidates (ways to
 * load the page) that are compared.
 */
export interface Questions {
  /** The pane for which streams and a scheduler are chosen. */
  readonly advised: AdvisedPane;
  /** This pane with each number of streams and each scheduler that are compared. */
  readonly streams: readonly Candidate[];
  /** This pane over each protocol that browsers support. */
  readonly browsers: readonly Candidate[];
}

/** Returns the questions about a scenario. `objects` is the number of objects that the page names. */
export function questionsOf(scenario: Pick<Scenario, 'panes' | 'path'>, objects: number): Questions {
  const advised = advisedPane(scenario);
  return {
    advised,
    streams: candidatesOf(advised.pane, objects),
    browsers: browserCandidates(advised.pane, scenario.path),
  };
}

/** Returns the panes that must be run, in the order of the rows that {@link answersOf} expects. */
export function candidatePanes({streams, browsers}: Questions): readonly Pane[] {
  return [...streams, ...browsers].map(({pane}) => pane);
}

/** The ranking of the candidates for one aim, which is a time that should be short. */
export interface AimAdvice extends Ranking {
  readonly aim: Aim;
  /** How each candidate compares with the best, in the order of the candidates. */
  readonly standings: readonly CandidateStanding[];
  /**
   * The index of the candidate with the current settings; null if no candidate has them, or if the candidates are not
   * compared with them.
   */
  readonly now: number | null;
}

export interface CandidateStanding extends Standing {
  /** The number of loads in which the aim's event never happened. The time limit is used as the time of these loads. */
  readonly never: number;
}

export interface Advice {
  readonly candidates: readonly Candidate[];
  /** The number of loads of each candidate. */
  readonly seeds: number;
  readonly aims: readonly AimAdvice[];
  /**
   * The aims for which candidates cannot be ranked, because a complete load has no time for the aim. A page without
   * pictures, for example, has no first picture; without measured pictures, the Speed Index is unknown.
   */
  readonly absent: readonly Aim[];
}

/** The answers to {@link Questions}. */
export interface Answers {
  readonly streams: Advice;
  readonly browsers: Advice;
}

/** Answers the questions. `rows` has the runs of each of {@link candidatePanes}, all with the same seeds. */
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
  /** The pane with the current settings; null if the candidates are not compared with them. */
  readonly pane: Pane | null;
  readonly timeLimitMs: number;
  /** All aims by default. */
  readonly aims?: readonly Aim[];
}

/** Ranks the candidates for each aim. `rows` has the runs of each candidate, all with the same seeds. */
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
