import {useStore} from 'zustand';
import {useSession} from '../store/context.ts';

/** How far it is with looking for the typical seed. */
export function SeedsNotice() {
  const {seeds} = useSession();
  const {isBusy, purpose, rows, wanted, problem} = useStore(seeds.store);
  if (purpose !== 'typical' || (!isBusy && problem === null)) return null;
  if (problem !== null) {
    return (
      <div className="notice" role="alert">
        <p>
          The typical seed was not found: {problem} ({rows.length} of {wanted} seeds were run, and are kept)
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
        Looks for the typical seed: {rows.length} of {wanted}
      </p>
      <progress value={rows.length} max={wanted} />
      <button type="button" onClick={() => seeds.cancel()}>
        Cancel
      </button>
    </div>
  );
}
