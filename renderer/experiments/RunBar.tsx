import {useEffect, useState} from 'react';
import {useStore} from 'zustand';
import {cellCount, cellScenario, runCount} from '../../app/experiment/grid.ts';
import {CopyButton} from '../controls/CopyButton.tsx';
import {saveBytes} from '../controls/files.ts';
import {useSession} from '../store/context.ts';
import {GRID_FILE, gridCommand, gridText, resultsText} from './files.ts';
import {type GridPlan, subjectOf} from './gridPlan.ts';
import {doneRuns, wantedRuns} from './gridRuns.ts';

interface RunBarProps {
  /** Null while what is chosen is no grid. */
  readonly plan: GridPlan | null;
  /** What the eye gets will be known. */
  readonly isMeasuring: boolean;
}

/** How much is to be run, how far it is, and its files; it submits the form that it stands in. */
export function RunBar({plan, isMeasuring}: RunBarProps) {
  const {runs} = useSession().experiment;
  const state = useStore(runs.store);
  const isOwn = plan !== null && state.subject === subjectOf(plan);
  const [done, wanted] = [doneRuns(state), wantedRuns(state)];
  const missing = plan === null ? 0 : missingOf(plan, isOwn ? state.cells : []);
  const save = (name: string, text: string, type: string) =>
    saveBytes(name, new TextEncoder().encode(text), type);
  return (
    <div className="experiment-run">
      {state.isBusy ? (
        <p className="dim" aria-live="polite">
          {done} of {wanted} runs{leftText(state.leftMs)}
        </p>
      ) : (
        plan !== null && <Size plan={plan} runs={missing} />
      )}
      <div className="experiment-row">
        {state.isBusy ? (
          <>
            <progress value={done} max={wanted} aria-label="runs that are there" />
            <button type="button" onClick={() => runs.cancel()}>
              Cancel
            </button>
          </>
        ) : (
          <button
            type="submit"
            className="primary"
            disabled={plan === null || missing === 0 || isMeasuring}
            title={
              isMeasuring ? 'when the page’s pictures are measured' : 'compute the runs in the background'
            }
          >
            {missing === 0 && plan !== null ? 'All are there' : isOwn && done > 0 ? 'Go on' : 'Run'}
          </button>
        )}
      </div>
      {state.problem !== null && (
        <p className="refused">
          Stopped after {done} runs: {state.problem}
        </p>
      )}
      <div className="experiment-row experiment-files">
        <button
          type="button"
          disabled={plan === null}
          title="save the grid file that the command takes"
          onClick={() => plan !== null && save(GRID_FILE, gridText(plan), 'application/json')}
        >
          Grid
        </button>
        {plan !== null && (
          <CopyButton label="Command" title={`copy: ${gridCommand(plan)}`} text={() => gridCommand(plan)} />
        )}
        <button
          type="button"
          disabled={done === 0}
          title="save every run’s numbers: results.csv, as the command writes it"
          onClick={() =>
            state.plan !== null && save('results.csv', resultsText(state.plan, state), 'text/csv')
          }
        >
          CSV
        </button>
      </div>
    </div>
  );
}

/** How many loads, and about how long they take. */
function Size({plan, runs}: {readonly plan: GridPlan; readonly runs: number}) {
  const session = useSession();
  const [msPerRun, setMsPerRun] = useState<number | null>(null);
  useEffect(() => {
    setMsPerRun(null);
    if (runs === 0) return;
    let isOver = false;
    const timer = window.setTimeout(() => {
      void session.experiment.runs.tryOut(plan).then(ms => isOver || setMsPerRun(ms));
    }, SETTLED_MS);
    return () => {
      isOver = true;
      window.clearTimeout(timer);
    };
  }, [session, plan, runs]);
  const {grid} = plan;
  const [cells, seeds, panes] = [cellCount(grid), grid.seeds.length, cellScenario(grid, 0).panes.length];
  const about = msPerRun === null ? '' : `, about ${spanText(msPerRun * runs)}`;
  return (
    <p className="dim">
      {count(cells, 'point')} × {seeds} seeds × {count(panes, 'side')} = {cells * seeds * panes} loads{about}
    </p>
  );
}

function missingOf({grid}: GridPlan, cells: readonly (readonly unknown[])[]): number {
  const there = cells.reduce((sum, rows) => sum + Math.min(rows.length, grid.seeds.length), 0);
  return runCount(grid) - there;
}

function leftText(leftMs: number | null): string {
  return leftMs === null ? '' : `, ${spanText(leftMs)} left`;
}

/** `12 s`, `3 min` */
function spanText(ms: number): string {
  const s = Math.max(1, Math.round(ms / 1000));
  return s < 100 ? `${s} s` : `${Math.round(s / 60)} min`;
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}

/** While values are typed nothing is tried. */
const SETTLED_MS = 500;
