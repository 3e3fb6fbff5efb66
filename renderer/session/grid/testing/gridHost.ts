import type {Json} from '../../../../app/base/json.ts';
import {refusal} from '../../../../app/base/refusal.ts';
import type {PageAnswer, Refusal, SeedRow, SeedsAnswer} from '../../../../app/host/contract.ts';
import {parseScenario, type Scenario} from '../../../../app/run/scenario/scenario.ts';
import {METRICS, VISUAL_METRICS} from '../../../../app/study/experiment/metricList.ts';

/** For tests: a request to a {@link fakeHost} for many seeds. */
export interface Asked {
  readonly scenario: Json;
  readonly hash: string;
  readonly seeds: readonly number[];
}

interface FakeHostOptions {
  /** The page time T of a seed, s; null for an incomplete run. By default, 9 successive seeds have 1 to 9 s. */
  readonly secondsOf?: (seed: number) => number | null;
  readonly speedIndexMsOf?: (seed: number) => number;
}

/** For tests: a host whose runs of many seeds wait until the test answers. */
export function fakeHost({secondsOf = usualSeconds, speedIndexMsOf}: FakeHostOptions = {}) {
  const asked: Asked[] = [];
  const opened: Json[] = [];
  const cancelled: string[] = [];
  const waiting: ((answer: SeedsAnswer | null) => void)[] = [];
  const host = {
    loadSeeds: (scenario: Json, hash: string, seeds: readonly number[]) => {
      asked.push({scenario, hash, seeds});
      return new Promise<SeedsAnswer>(resolve => {
        const rows = seeds.map(seed => rowOf(seed, secondsOf(seed), speedIndexMsOf?.(seed) ?? null));
        waiting.push(answer => resolve(answer ?? {ok: true, rows}));
      });
    },
    openPage: async (page: Json): Promise<PageAnswer> => {
      opened.push(page);
      return {ok: true, page: {...PAGE, hash: JSON.stringify(page)}};
    },
    cancelLoad: async (run: string) => void cancelled.push(run),
  };
  const answerFirst = async (answer: Refusal | null) => {
    await new Promise(resolve => setTimeout(resolve));
    for (const resolve of waiting.splice(0)) resolve(answer);
    await new Promise(resolve => setTimeout(resolve));
  };
  const answer = () => answerFirst(null);
  const answerLastWith = async (answer: Refusal | null) => {
    await new Promise(resolve => setTimeout(resolve));
    waiting.pop()?.(answer);
    await new Promise(resolve => setTimeout(resolve));
  };
  /** Answers only the last request. */
  const answerLast = () => answerLastWith(null);
  /** Refuses the first of two requests, and then also the second attempt at this request. */
  const refuseFirst = async (message: string) => {
    await new Promise(resolve => setTimeout(resolve));
    waiting.shift()?.(refusal(message));
    await answerLastWith(refusal(message));
  };
  const answerAll = async () => {
    await new Promise(resolve => setTimeout(resolve));
    while (waiting.length > 0) await answer();
  };
  const refuse = (message: string) => answerFirst(refusal(message));
  const answerGone = () => answerFirst({...refusal('gone'), isPageGone: true});
  return {host, asked, opened, cancelled, answer, answerLast, refuseFirst, answerAll, refuse, answerGone};
}

/** For tests: a run on screen. */
export function shown(document: object = {}): {readonly scenario: Scenario; readonly page: typeof PAGE} {
  const parsed = parseScenario({panes: [{pipeline: 'tcp'}], ...document});
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return {scenario: parsed.scenario, page: PAGE};
}

/** For tests: the seconds of a seed's run. */
export function usualSeconds(seed: number): number {
  return (seed * 2) % 9 || 9;
}

function rowOf(seed: number, seconds: number | null, speedIndexMs: number | null): SeedRow {
  const outcome = seconds === null ? 'time-limit' : 'complete';
  const values = METRICS.map(({name}) => {
    return TIMES.has(name) ? seconds && seconds * 1000 : null;
  });
  const seen = VISUAL_METRICS.map(({name}) => (name === 'speedIndexMs' ? speedIndexMs : null));
  return {
    seed,
    panes: [{outcome, reason: null, values: speedIndexMs === null ? values : [...values, ...seen]}],
    firstPicturesMs: [seconds && seconds * 100],
    wholePagesMs: [seconds && seconds * 1100],
  };
}

const TIMES = new Set(['finishMs', 'pageTimeMs', 'p25PageMs', 'p50PageMs', 'p75PageMs']);
const PAGE = {name: 'page', objects: [], headerBytes: 0, requestBytes: 0, hash: 'h', leftOut: []};
