import {type Identity, metricsOf} from '../../../app/study/experiment/identity.ts';
import {mainMetric} from '../../../app/study/figures/cellValues.ts';
import {gridFigures} from '../../../app/study/figures/gridFigures.ts';
import {groupsOf, layOutAxes} from '../../../app/study/figures/layout.ts';
import type {ToldExperiment} from '../../../app/study/report/experimentReport.ts';
import {MOST_CELLS, type SummedUp} from './outputs.ts';

/** What a report says about an experiment. If there are too many cells it only says what was run. */
export function toldExperiment(identity: Identity, options: string, summedUp: SummedUp | null): ToldExperiment {
  const {grid} = identity;
  const metrics = metricsOf(identity);
  const metric = metrics[mainMetric(metrics)]?.name;
  const told = {identity, options, metric: metric ?? '', mostCells: MOST_CELLS};
  const none = {cells: [], comparisons: [], across: [], figures: [], leftOut: 0};
  if (metric === undefined || summedUp === null) return {...told, ...none};
  const {cells, values} = summedUp;
  const comparisons = summedUp.comparisons.filter(each => each.metric === metric);
  const across = summedUp.across.filter(each => each.metric === metric);
  const groups = groupsOf(grid, layOutAxes(grid)).length;
  const figures = gridFigures({grid, metrics, cells, values}, MOST_GROUPS);
  return {...told, cells, comparisons, across, figures, leftOut: Math.max(0, groups - MOST_GROUPS)};
}

/** Most groups. Nobody would look at more. */
const MOST_GROUPS = 60;
