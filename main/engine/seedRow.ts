import type {SeedRow} from '../../app/ipc/contract.ts';
import {measure} from '../../app/metrics/metrics.ts';
import {timesOf} from '../../app/metrics/typical.ts';
import type {PageSnapshot} from '../../app/page/page.ts';
import type {Eye} from '../../app/quality/eye.ts';
import {measureVisual} from '../../app/quality/visual.ts';
import type {Scenario} from '../../app/scenario/scenario.ts';
import {Trace} from '../../app/trace/trace.ts';
import {load} from './load.ts';

/** What is compared between seeds, of one seed's run. */
export function seedRow(page: PageSnapshot, scenario: Scenario, seed: number, eye: Eye | null): SeedRow {
  const panes = load(page, scenario, seed).panes.map(data => {
    const trace = new Trace(data);
    const metrics = measure(data, trace);
    const {outcome, reason} = metrics;
    const visual = eye === null ? null : measureVisual(trace, eye.quality, eye.thresholds);
    return {outcome, reason, times: timesOf(metrics), visual};
  });
  return {seed, panes};
}
