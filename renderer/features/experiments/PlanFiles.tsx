import {CopyButton} from '../../kit/CopyButton.tsx';
import {saveBytes} from '../../kit/savedFile.ts';
import {useSessionState} from '../../session/context.tsx';
import type {GridPlan} from '../../session/grid/gridPlan.ts';
import {doneRuns, type GridRunsState} from '../../session/grid/gridRuns.ts';
import {GRID_FILE, gridCommand, gridText, resultsText} from './files.ts';

interface PlanFilesProps {
  /** The plan that is chosen now; null if the choice is not a grid. */
  readonly plan: GridPlan | null;
  readonly state: GridRunsState;
}

/** The buttons that save an experiment: the grid and the command of the choice, the results of the runs. */
export function PlanFiles({plan, state}: PlanFilesProps) {
  const version = useSessionState(state => state.version);
  return (
    <div className="experiment-row experiment-files">
      <button
        type="button"
        disabled={plan === null}
        title="save the grid file that the command takes"
        onClick={() => plan !== null && save(GRID_FILE, gridText(plan, `interleave ${version}`), 'application/json')}
      >
        Grid
      </button>
      {plan !== null && (
        <CopyButton label="Command" title={`copy: ${gridCommand(plan)}`} text={() => gridCommand(plan)} />
      )}
      <button
        type="button"
        disabled={doneRuns(state) === 0}
        title="save every run’s numbers: results.csv, as the command writes it"
        onClick={() => state.plan !== null && save('results.csv', resultsText(state.plan, state), 'text/csv')}
      >
        CSV
      </button>
    </div>
  );
}

function save(name: string, text: string, type: string): void {
  saveBytes(name, new TextEncoder().encode(text), type);
}
