import {useStore} from 'zustand';
import {useStateOf} from '../../session/context.tsx';
import {doneRuns, wantedRuns} from '../../session/grid/gridRuns.ts';
import {SEED_RUNS} from './seedRuns.ts';

/** Shows the progress of the search for the typical seed, or the error that ended the search. */
export function SeedsNotice() {
  const seeds = useStateOf(SEED_RUNS);
  const state = useStore(seeds.store);
  const {isBusy, purpose, problem} = state;
  if (purpose !== 'typical' || (!isBusy && problem === null)) return null;
  const [done, wanted] = [doneRuns(state), wantedRuns(state)];
  if (problem !== null) {
    return (
      <div className="notice" role="alert">
        <p>
          The typical seed was not found: {problem} ({done} of {wanted} seeds were run, and their results are kept)
        </p>
        <button type="button" onClick={() => seeds.dismiss()}>
          Dismiss
        </button>
      </div>
    );
  }
  return (
    <div className="notice calm" role="status">
      <p>
        Looking for the typical seed: {done} of {wanted}
      </p>
      <progress value={done} max={wanted} />
      <button type="button" onClick={() => seeds.cancel()}>
        Cancel
      </button>
    </div>
  );
}
