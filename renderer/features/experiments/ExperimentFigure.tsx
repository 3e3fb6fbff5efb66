import {useCallback, useMemo} from 'react';
import {useStore} from 'zustand';
import type {SeedRow} from '../../../app/host/contract.ts';
import {shortNames} from '../../../app/pipelines/paneLabels.ts';
import {seedlessDocument} from '../../../app/run/scenario/document.ts';
import {type Scenario, withSeed} from '../../../app/run/scenario/scenario.ts';
import {cellCount, cellScenario, type Grid} from '../../../app/study/experiment/grid.ts';
import {FigureView} from '../../kit/figure/FigureView.tsx';
import {type FigurePoint, paneOf} from '../../kit/figure/pointPlaces.ts';
import type {Theme} from '../../kit/objectColours.ts';
import {saveSvg} from '../../kit/savedFile.ts';
import {useCalm} from '../../kit/useCalm.ts';
import {ClosePanelButton} from '../../session/ClosePanelButton.tsx';
import {useSession, useSessionState, useStateOf} from '../../session/context.tsx';
import {type GridPlan, subjectOf} from '../../session/grid/gridPlan.ts';
import type {ShownRun} from '../../session/loads.ts';
import {CAUSES} from './choice.ts';
import {EXPERIMENT} from './experiment.ts';
import {tipLines, verdict} from './figureText.ts';
import {figureSvg} from './files.ts';
import {metricOptions} from './metricOptions.ts';
import {nextOpening, openingsOf} from './openings.ts';
import {causeFindings, type Findings, figureOf, Summaries} from './summaries.ts';

interface ExperimentFigureProps {
  readonly run: ShownRun;
  readonly theme: Theme;
  /** The plan that the fields describe; null if they do not describe a valid grid. */
  readonly wanted: GridPlan | null;
  /** The name of the metric that is shown. */
  readonly metric: string;
}

/**
 * The figure of the runs that are computed so far. It is drawn again while more runs are computed. A click on a point
 * opens one of the point's runs.
 */
export function ExperimentFigure({run, theme, wanted, metric: name}: ExperimentFigureProps) {
  const session = useSession();
  const version = useSessionState(state => state.version);
  const {runs, choice: store} = useStateOf(EXPERIMENT);
  const {kind} = useStore(store);
  const plan = useStore(runs.store, state => state.plan);
  const cells = useStore(runs.store, state => state.cells);
  const summaries = useMemo(() => new Summaries(), []);
  const make = useCallback(() => {
    if (plan === null || cells.every(rows => rows.length === 0)) return null;
    const findings = findingsOf(summaries, plan, cells, name);
    const metric = findings?.summary.metrics[0]?.name;
    const figure = findings && figureOf(findings.summary, name === CAUSES ? CAUSES : kind);
    return !figure || metric === undefined ? null : {plan, cells, findings, figure, metric};
  }, [summaries, plan, cells, name, kind]);
  const made = useCalm(make);
  const keys = useMemo(() => (plan === null ? [] : cellKeys(plan.grid)), [plan]);
  const shownKey = useMemo(() => keyOf(run.scenario), [run]);
  if (made === null) {
    return (
      <p className="experiment-empty dim">
        {name === CAUSES
          ? 'Each bar will be the mean of many runs that differ only in their seeds. Its parts are the causes of the time until the page is complete. Press Run to fill in the figure. A click on a bar opens one of its runs above.'
          : 'Each point will stand for many runs that differ only in their seeds, and so in their losses. Press Run to fill in the figure. A click on a point opens one of its runs above.'}
      </p>
    );
  }
  const {figure, findings, metric} = made;
  const isOther = wanted === null || subjectOf(wanted) !== subjectOf(made.plan);
  const isOnShow = ({cell}: FigurePoint) => keys[cell ?? -1] === shownKey;
  const nextOf = (point: FigurePoint, step: 1 | -1) => {
    const rows = (made.cells[point.cell ?? -1] ?? []).slice(0, made.plan.grid.seeds.length);
    const shownSeed = isOnShow(point) ? run.scenario.seed : null;
    return nextOpening(openingsOf(rows, paneOf(point), metric), shownSeed, step);
  };
  const open = (point: FigurePoint, step: 1 | -1) => {
    const next = nextOf(point, step);
    if (next === undefined || point.cell === null) return;
    session.history.chooseScenario(withSeed(cellScenario(made.plan.grid, point.cell), next.seed));
  };
  const save = (style: 'print' | 'screen') => {
    const svg = figureSvg(figure, style, runs.store.getState());
    saveSvg(`${figure.name}.${style}.svg`, svg, version);
  };
  const names = shortNames(cellScenario(made.plan.grid, 0).panes);
  return (
    <div className="experiment-figure">
      <header className="experiment-head">
        <p className="experiment-verdict" aria-live="polite" title={TEST}>
          {figure.title}. <span className="dim">{verdict(findings, names)}</span>
          {isOther && (
            <span className="experiment-other">These runs have earlier settings. Press Run for the current ones.</span>
          )}
        </p>
        <div className="experiment-row experiment-save">
          <button type="button" title="save the figure as SVG, for paper" onClick={() => save('print')}>
            SVG print
          </button>
          <button type="button" title="save the figure as SVG, for slides" onClick={() => save('screen')}>
            SVG screen
          </button>
          <ClosePanelButton shortcut="V" />
        </div>
      </header>
      <FigureView
        figure={figure}
        theme={theme}
        isOnShow={isOnShow}
        textOf={point => tipLines(figure, point, findings, nextOf(point, 1))}
        onOpen={open}
      />
    </div>
  );
}

function findingsOf(
  summaries: Summaries,
  {grid, eye}: GridPlan,
  cells: readonly (readonly SeedRow[])[],
  name: string,
): Findings | null {
  if (name === CAUSES) return causeFindings(summaries, grid, cells);
  const options = metricOptions(eye !== null);
  const metric = options.find(each => each.name === name) ?? options[0];
  return metric === undefined ? null : summaries.of(grid, cells, metric);
}

const TEST = 'Wilcoxon’s signed-rank test of pairs of the same seed, p < 0.05 after Holm’s correction';

/** The keys of a grid's cells. A cell and a scenario have the same key if they differ only in their seeds. */
function cellKeys(grid: Grid): readonly string[] {
  return Array.from({length: cellCount(grid)}, (_, cell) => keyOf(cellScenario(grid, cell)));
}

function keyOf(scenario: Scenario): string {
  return JSON.stringify(seedlessDocument(scenario));
}
