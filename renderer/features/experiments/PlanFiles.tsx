import {CopyButton} from '../../kit/CopyButton.tsx';
import {saveBytes} from '../../kit/savedFile.ts';
import {useSessionState} from '../../session/context.tsx';
import type {GridPlan} from '../../session/grid/gridPlan.ts';
import {doneRuns, type GridRunsState} from '../../session/grid/gridRuns.ts';
import {GRID_FILE, gridCommand, gridText, resultsText} from './files.ts';

interface PlanFilesProps {
  /** The plan that the fields describe; null if they do not describe a valid grid. */
  readonly plan: GridPlan | null;
  readonly state: GridRunsState;
}

/** Buttons for the files of an experiment: the grid file, the command that runs it, and the results of the runs. */
export function PlanFiles({plan, state}: PlanFilesProps) {
  const version = useSessionState(state => state.version);
  return (
    <div className="experiment-row experiment-files">
      <button
        type="button"
        disabled={plan === null}
        title="save the grid file for the command `interleave experiment`"
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
        title="save the numbers of every run: results.csv, as the command `interleave experiment` writes it"
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
