import {setImmediate as breath} from 'node:timers/promises';
import type {PageSnapshot} from '../../../app/page/page.ts';
import type {Pane} from '../../../app/pipelines/index.ts';
import type {Eye} from '../../../app/run/quality/states.ts';
import {type Scenario, withSeed} from '../../../app/run/scenario/scenario.ts';
import {Trace} from '../../../app/run/trace/trace.ts';
import {pagePath} from '../../../app/run/why/loadPaths.ts';
import {whyOptionsOf} from '../../../app/run/why/whyOptions.ts';
import {type Answers, answersOf, candidatePanes, questionsOf} from '../../../app/study/advice/advice.ts';
import type {Aim} from '../../../app/study/advice/aims.ts';
import type {AdvisedPane} from '../../../app/study/advice/candidates.ts';
import {usefulConversions} from '../../../app/study/advice/helpList.ts';
import {
  type Helped,
  type HelpPlan,
  helpedBy,
  helpPlan,
  panesOf,
  type RivalResult,
  rivalResults,
} from '../../../app/study/advice/helps.ts';
import {freshSeeds, paneGrid} from '../../../app/study/advice/paneGrid.ts';
import {type RemovableCause, removableCauses, type SideLoad} from '../../../app/study/advice/removableCause.ts';
import {intervened} from '../../engine/interventions.ts';
import {loadToExplain} from '../../engine/load.ts';
import {gridRows} from './gridRows.ts';

export interface AdviseOptions {
  /** The page, with every conversion that is used by a pane, or by a change that may help. */
  readonly page: PageSnapshot;
  readonly scenario: Scenario;
  readonly seeds: readonly number[];
  /** What the advice is to improve. */
  readonly aims: readonly Aim[];
  /** The page's visual quality. Null if it was not measured. */
  readonly eye: Eye | null;
  /** The bundled module `adviceWorker.ts`. */
  readonly worker: URL;
  readonly threads: number;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, all: number) => void;
}

/** The best settings and protocols, and the changes that would help each of the scenario's panes. */
export interface AdvisedLoads {
  readonly advised: AdvisedPane;
  readonly answers: Answers;
  readonly plan: HelpPlan;
  readonly helped: readonly Helped[];
  readonly rivals: readonly RivalResult[];
  /** The causes of each pane's time that can be taken away, the largest saving first. */
  readonly causes: readonly RemovableCause[];
  /** The seeds with which the changes that may help were measured. They differ from the seeds of the advice. */
  readonly freshSeeds: readonly number[];
}

/** Loads the page with all settings and protocols that the advice compares, then with every change that may help. */
export async function adviseLoads(options: AdviseOptions): Promise<AdvisedLoads> {
  const {page, scenario, seeds, onProgress} = options;
  const {timeLimitMs} = scenario;
  const load = (panes: readonly Pane[], of: readonly number[]) =>
    gridRows({...options, grid: paneGrid(scenario, panes, of), onProgress});
  const questions = questionsOf(scenario, page.objects.length - 1);
  const rows = await load(candidatePanes(questions), seeds);
  const answers = answersOf(questions, rows, {timeLimitMs, aims: options.aims});
  const plan = helpPlan(scenario, answers, usefulConversions(page));
  const fresh = freshSeeds(seeds);
  const changed = await load(panesOf(plan), fresh);
  const aims = answers.streams.aims.map(({aim}) => aim);
  return {
    advised: questions.advised,
    answers,
    plan,
    freshSeeds: fresh,
    helped: helpedBy(plan, changed, aims, timeLimitMs),
    rivals: rivalResults(plan, changed, aims, timeLimitMs),
    causes: removableCauses(await sideLoads(options, fresh.slice(0, MOST_EXPLAINED))),
  };
}

/**
 * Loads each pane once for each seed, and then again without each cause of its time that can be taken away. Incomplete
 * loads are left out.
 */
export async function sideLoads(
  {page, scenario, signal}: Pick<AdviseOptions, 'page' | 'scenario' | 'signal'>,
  seeds: readonly number[],
): Promise<readonly SideLoad[]> {
  const loads: SideLoad[] = [];
  for (const seed of seeds) {
    const own = withSeed(scenario, seed);
    for (const side of own.panes.keys()) {
      // the loads are computed in this thread, which must also receive the signal that ends the program
      await breath();
      signal.throwIfAborted();
      const trace = new Trace(loadToExplain(page, own, seed, side));
      const path = pagePath(trace, whyOptionsOf(own, side));
      if (path === null) continue;
      const load = {scenario: own, pane: side, trace, path, metric: {kind: 'finish'} as const};
      loads.push({side, interventions: intervened(page, load)});
    }
  }
  return loads;
}

/**
 * Largest number of seeds for which causes are computed. Each seed takes several loads, and 20 seeds are enough for one
 * sentence.
 */
const MOST_EXPLAINED = 20;
