import {headlineOf} from '../../../app/run/metrics/clock.ts';
import {scenarioDocument, seedlessDocument} from '../../../app/run/scenario/document.ts';
import {type Scenario, withSeed} from '../../../app/run/scenario/scenario.ts';
import {cellCount, cellScenario, type Grid, gridHeadline, parseGrid} from '../../../app/study/experiment/grid.ts';
import {keyQuantity} from '../../../app/study/figures/quantities.ts';
import {readAxis} from './axisText.ts';

/** The choices that define an experiment. Its grid is made from the scenario on screen and from these choices. */
export interface ExperimentChoice {
  /** The axis whose values are along the figure's x axis. */
  readonly x: AxisChoice;
  /** The axis that has a panel of the figure for each of its values; null if the figure has only one panel. */
  readonly panels: AxisChoice | null;
  readonly seeds: number;
  /** The metric's name, or {@link CAUSES}. Null for the time by which the experiment compares runs. */
  readonly metric: string | null;
  readonly kind: FigureKind;
}

export interface AxisChoice {
  readonly key: string;
  /** Whether the user typed the key. Otherwise it is one of the offered keys. */
  readonly isTyped: boolean;
  readonly text: string;
}

/** Stands for the times of all causes, like the entry of the same name in a grid's list of metrics. */
export const CAUSES = 'causes';

/** Whether the figure shows means with their intervals, or the runs' quartiles. */
export type FigureKind = 'means' | 'spread';

export const FIRST_CHOICE: ExperimentChoice = {
  x: {key: 'path.loss', isTyped: false, text: '0..10 step 1'},
  panels: null,
  seeds: 20,
  metric: null,
  kind: 'means',
};

/** The grid of a choice. If the choice is wrong, `of` names its wrong part and `message` says why. */
export type ChosenGrid =
  | {readonly ok: true; readonly grid: Grid}
  | {readonly ok: false; readonly of: 'x' | 'panels' | 'grid'; readonly message: string};

/**
 * Returns the grid of a choice. Its base is the scenario on screen, but with the axis values of the first cell and with
 * seed 0. So the grid is the same, whichever of its runs is on screen.
 */
export function gridOf({x, panels, seeds}: ExperimentChoice, scenario: Scenario): ChosenGrid {
  if (panels?.key === x.key) return {ok: false, of: 'panels', message: 'choose a setting other than the one along x'};
  const own = readAxis(x.key, x.text);
  if (!own.ok) return {...own, of: 'x'};
  const others = panels === null ? null : readAxis(panels.key, panels.text);
  if (others !== null && !others.ok) return {...others, of: 'panels'};
  const axes = {
    [x.key]: own.values,
    ...(panels === null || others === null ? {} : {[panels.key]: others.values}),
  };
  const base = seedlessDocument(scenario);
  const parsed = parseGrid({name: nameOf(x, panels), base, axes, seeds: `1-${seeds}`});
  if (!parsed.ok) {
    const [problem] = parsed.problems;
    const isOfPanels = panels !== null && (problem?.path.includes(panels.key) ?? false);
    return {ok: false, of: isOfPanels ? 'panels' : 'x', message: problem?.message ?? 'not a grid'};
  }
  const {grid} = parsed;
  const cells = cellCount(grid);
  if (cells > MOST_CELLS) {
    const tooMany = `${cells} points are too many for the window (at most ${MOST_CELLS})`;
    const message = `${tooMany}: the command \`interleave experiment\` allows more`;
    return {ok: false, of: 'grid', message};
  }
  return {ok: true, grid: {...grid, base: scenarioDocument(withSeed(cellScenario(grid, 0), 0))}};
}

/**
 * The name of the metric that the field and the figure show. If no metric was chosen, this is the time by which the
 * experiment compares runs. If no metric was chosen and the choice of axes is wrong, there is no experiment, and this
 * is the time by which the panes of the run on screen are compared.
 */
export function shownMetric({metric}: ExperimentChoice, chosen: ChosenGrid, scenario: Scenario): string {
  if (metric !== null) return metric;
  return (chosen.ok ? gridHeadline(chosen.grid) : headlineOf(scenario)).metric;
}

function nameOf(x: AxisChoice, panels: AxisChoice | null): string {
  return [x, ...(panels === null ? [] : [panels])].map(({key}) => keyQuantity(key).label).join(' × ');
}

/** The largest number of cells of an experiment in the window. Each cell is a point of the figure for each pane. */
const MOST_CELLS = 500;
