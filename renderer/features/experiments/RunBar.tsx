import {useEffect, useMemo} from 'react';
import {useStore} from 'zustand';
import {useStateOf} from '../../session/context.tsx';
import {type GridPlan, subjectOf} from '../../session/grid/gridPlan.ts';
import {doneRuns, wantedRuns} from '../../session/grid/gridRuns.ts';
import {EXPERIMENT} from './experiment.ts';
import {PlanFiles} from './PlanFiles.tsx';
import {PlanSize, spanText} from './PlanSize.tsx';

interface RunBarProps {
  /** Null while the fields do not describe a valid grid. */
  readonly plan: GridPlan | null;
  /** Whether the page's pictures are being measured. */
  readonly isMeasuring: boolean;
}

/** The size of the plan, its progress, its files, and the button that submits the form around this bar. */
export function RunBar({plan, isMeasuring}: RunBarProps) {
  const {runs} = useStateOf(EXPERIMENT);
  const state = useStore(runs.store);
  const subject = useMemo(() => (plan === null ? null : subjectOf(plan)), [plan]);
  const isOwn = state.subject === subject;
  const [done, wanted] = [doneRuns(state), wantedRuns(state)];
  const missing = wantedRuns({plan}) - doneRuns({plan, cells: isOwn ? state.cells : []});
  const isThere = isOwn && missing === 0 && !state.isBusy;
  const isAsked = state.plan?.grid.seeds.length === plan?.grid.seeds.length;
  useEffect(() => {
    // if enough runs are computed for the new number of seeds, the plan is applied without a press of the button
    if (plan !== null && isThere && !isAsked) void runs.ask(plan);
  }, [runs, plan, isThere, isAsked]);
  return (
    <div className="experiment-run">
      {state.isBusy ? (
        <p className="dim" aria-live="polite">
          {done} of {wanted} runs{leftText(state.leftMs)}
        </p>
      ) : (
        plan !== null && <PlanSize plan={plan} runs={missing} />
      )}
      <div className="experiment-row">
        {state.isBusy ? (
          <>
            <progress value={done} max={wanted} aria-label="computed runs" />
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
              isMeasuring ? 'available when the page’s pictures are measured' : 'compute the runs in the background'
            }
          >
            {missing === 0 && plan !== null ? 'All runs are computed' : isOwn && done > 0 ? 'Go on' : 'Run'}
          </button>
        )}
      </div>
      {state.problem !== null && (
        <p className="refused">
          Stopped after {done} runs: {state.problem}
        </p>
      )}
      <PlanFiles plan={plan} state={state} />
    </div>
  );
}

function leftText(leftMs: number | null): string {
  return leftMs === null ? '' : `, ${spanText(leftMs)} left`;
}
