import {figuresOf, findTypical} from '../../app/metrics/typical.ts';
import type {Session} from '../store/session.ts';
import {subjectOf} from './seedRuns.ts';

/**
 * Finds the typical one of the seeds 1 to `count`, as `interleave typical` does (with `--visual`, once the page is
 * measured), and shows its run: one step of the history. It does nothing where meanwhile another run is on show or on
 * its way there, or it was cancelled.
 */
export async function findTypicalSeed(session: Session, count = TYPICAL_SEEDS): Promise<void> {
  const {run, quality, view} = session.store.getState();
  if (run === null) return;
  // with what the panel of many seeds shows, so that none is computed twice
  const eye = quality === null ? null : {quality, thresholds: view.thresholds};
  const rows = await session.seeds.ask(run, eye, count, 'typical');
  const now = session.store.getState().run;
  if (rows === null || now === null) return;
  const subjects = [now.scenario, session.wanted].map(scenario => subjectOf({...now, scenario}, null));
  if (subjects.some(subject => subject !== subjectOf(run, null))) return;
  const typical = findTypical(figuresOf(rows));
  if (typical === null) {
    session.tell(`No run of ${count} is complete on every side: none is typical.`);
    return;
  }
  const {seed, typicalOf} = session.store.getState().scenario;
  if (seed === typical.seed && typicalOf === count) return;
  session.chooseAll([
    ['seed', typical.seed],
    ['typicalOf', count],
  ]);
}

/** As many as the command looks at. */
export const TYPICAL_SEEDS = 200;
