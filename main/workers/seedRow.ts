import type {SeedRow} from '../../app/host/contract.ts';
import type {PageSnapshot} from '../../app/page/page.ts';
import {firstPictureMs, pictureNumbers} from '../../app/run/metrics/firstPicture.ts';
import {wholePageMs} from '../../app/run/metrics/metrics.ts';
import type {Eye} from '../../app/run/quality/states.ts';
import type {Scenario} from '../../app/run/scenario/scenario.ts';
import {ALL_METRICS, METRICS, NAMED_METRICS} from '../../app/study/experiment/metricList.ts';
import {paneRow} from '../../app/study/experiment/row.ts';
import {answerOf} from './runSeeds.ts';

/** Computes the run with one seed, and returns the values that are compared between seeds. */
export function seedRow(
  page: PageSnapshot,
  scenario: Scenario,
  seed: number,
  {eye, hasCauses = false}: Measured,
): SeedRow {
  const {panes} = answerOf({page, scenario, hasCauses, ...(eye === null ? {} : {eye})}, seed);
  const metrics = hasCauses ? NAMED_METRICS : eye === null ? METRICS : ALL_METRICS;
  const pictures = pictureNumbers(page, eye?.quality ?? null);
  return {
    seed,
    panes: panes.map(pane => paneRow(pane, metrics)),
    firstPicturesMs: panes.map(pane => firstPictureMs(pane, pictures)),
    wholePagesMs: panes.map(wholePageMs),
  };
}

/** What is computed besides the metrics of every load. */
interface Measured {
  /** What each object looks like, depending on how many of its bytes have arrived; null if this is not known. */
  readonly eye: Eye | null;
  /** By default, causes are not computed. */
  readonly hasCauses?: boolean;
}
