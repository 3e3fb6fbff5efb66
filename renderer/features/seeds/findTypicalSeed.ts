import type {SeedRow} from '../../../app/host/contract.ts';
import {type Clock, clockOf} from '../../../app/run/metrics/clock.ts';
import {type Figures, figuresOf, findTypical, timesOn} from '../../../app/run/metrics/typicalSeed.ts';
import {metricValue} from '../../../app/study/experiment/row.ts';
import {seedsPlan, subjectOf} from '../../session/grid/gridPlan.ts';
import type {Session} from '../../session/session.ts';
import {SEED_RUNS} from './seedRuns.ts';

/**
 * Finds the typical one of the seeds 1 to `count` and shows its run, which can be undone in one step. The search is the
 * same as in the command `interleave typical`, with its option `--visual` if the quality of the page's pictures is
 * known. Shows nothing if the search was cancelled. Shows nothing either if the window meanwhile shows or loads another
 * page, or a scenario that differs in more than the seed. If no run is complete on every side, a notice says so.
 */
export async function findTypicalSeed(session: Session, count = TYPICAL_SEEDS): Promise<void> {
  const {run, quality, view} = session.store.getState();
  if (run === null || session.refuseIfNoSeeds()) return;
  // the same quality and thresholds as in the panel of many seeds, so that no run is computed twice
  const eye = quality === null ? null : {quality, thresholds: view.thresholds};
  const cells = await session.stateOf(SEED_RUNS).ask(seedsPlan(run, eye, count), 'typical');
  const now = session.store.getState().run;
  if (cells === null || now === null) return;
  const [own, ...others] = [run.scenario, now.scenario, session.screen.wanted].map((scenario, i) => {
    return subjectOf(seedsPlan({page: i === 0 ? run.page : now.page, scenario}, null, 1));
  });
  if (others.some(other => other !== own)) return;
  const typical = findTypical(figuresOf((cells[0] ?? []).map(row => seenRun(row, clockOf(run.scenario)))));
  if (typical === null) {
    session.notices.showMessage(`There is no typical seed: none of ${count} runs is complete on every side.`);
    return;
  }
  const {seed, typicalOf} = session.store.getState().scenario;
  if (seed === typical.seed && typicalOf === count) return;
  session.history.chooseAll([
    ['seed', typical.seed],
    ['typicalOf', count],
  ]);
}

function seenRun({seed, panes}: SeedRow, clock: Clock): Parameters<typeof figuresOf>[0][number] {
  const timesOf = (pane: SeedRow['panes'][number]): Figures =>
    timesOn(clock, {
      finishMs: metricValue(pane, 'finishMs'),
      pageTimeMs: metricValue(pane, 'pageTimeMs'),
      p25PageMs: metricValue(pane, 'p25PageMs'),
      p50PageMs: metricValue(pane, 'p50PageMs'),
      p75PageMs: metricValue(pane, 'p75PageMs'),
    });
  return {
    seed,
    panes: panes.map(pane => ({
      times: timesOf(pane),
      visual: {speedIndexMs: metricValue(pane, 'speedIndexMs')},
    })),
  };
}

/** The number of seeds that are tried by default. It is the same as in `interleave typical`. */
export const TYPICAL_SEEDS = 200;
