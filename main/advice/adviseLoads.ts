import {type Advice, adviceOf} from '../../app/advice/advice.ts';
import {advisedPane, candidatesOf} from '../../app/advice/candidates.ts';
import {type Helped, type HelpPlan, helpedBy, helpPlan, panesOf} from '../../app/advice/helps.ts';
import {freshSeeds, paneGrid} from '../../app/advice/paneGrid.ts';
import {usefulConversions} from '../../app/advice/widened.ts';
import type {Grid} from '../../app/experiment/grid.ts';
import type {PageSnapshot} from '../../app/page/page.ts';
import type {Eye} from '../../app/quality/eye.ts';
import type {Scenario} from '../../app/scenario/scenario.ts';
import {gridRows} from './gridRows.ts';

export interface AdviseOptions {
  /** As each pane has it, and as what may help has it. */
  readonly page: PageSnapshot;
  readonly scenario: Scenario;
  readonly seeds: readonly number[];
  /** Null where it is not known what the page looks like. */
  readonly eye: Eye | null;
  /** `worker.ts`, bundled. */
  readonly worker: URL;
  readonly threads: number;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, all: number) => void;
}

/** The best settings, and what would help each side. */
export interface AdvisedLoads {
  readonly advice: Advice;
  readonly plan: HelpPlan;
  readonly helped: readonly Helped[];
  /** That what helps is measured on. */
  readonly freshSeeds: readonly number[];
}

/** Loads the page with every candidate, then with every change that may help. */
export async function adviseLoads(options: AdviseOptions): Promise<AdvisedLoads> {
  const {page, scenario, seeds, onProgress} = options;
  const {pane} = advisedPane(scenario);
  const candidates = candidatesOf(pane, page.objects.length - 1);
  const candidateGrid = paneGrid(
    scenario,
    candidates.map(each => each.pane),
    seeds,
  );
  const {timeLimitMs} = scenario;
  const load = (grid: Grid) => gridRows({...options, grid, onProgress});
  const advice = adviceOf(candidates, await load(candidateGrid), {pane, timeLimitMs});
  const plan = helpPlan(scenario, advice, usefulConversions(page));
  const fresh = freshSeeds(seeds);
  const rows = await load(paneGrid(scenario, panesOf(plan), fresh));
  const aims = advice.aims.map(({aim}) => aim);
  return {advice, plan, helped: helpedBy(plan, rows, aims, timeLimitMs), freshSeeds: fresh};
}
