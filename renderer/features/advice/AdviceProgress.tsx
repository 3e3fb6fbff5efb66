import {useStore} from 'zustand';
import {useHasSeeds, useSession, useStateOf} from '../../session/context.tsx';
import {doneRuns, wantedRuns} from '../../session/grid/gridRuns.ts';
import {ADVISER, type AdviceRequest, type Adviser} from './adviser.ts';

interface AdviceProgressProps {
  readonly adviser: Adviser;
  /** The request that a press of the button would make. */
  readonly request: AdviceRequest;
  /** Whether the last request to the adviser leads to the same advice as `request`. */
  readonly isOwn: boolean;
  /** Whether the page's pictures are being measured. */
  readonly isMeasuring: boolean;
  readonly seeds: number;
  readonly onSeeds: (seeds: number) => void;
}

/** The button that asks for advice, its progress, and the number of seeds. */
export function AdviceProgress({adviser, request, isOwn, isMeasuring, seeds, onSeeds}: AdviceProgressProps) {
  const {isBusy, helps} = useStore(adviser.store);
  return (
    <div className="advice-progress">
      {isBusy ? (
        <>
          <Bar adviser={adviser} />
          <button type="button" onClick={() => adviser.cancel()}>
            Cancel
          </button>
        </>
      ) : (
        <button
          type="button"
          className="primary"
          disabled={(isOwn && helps !== null) || isMeasuring}
          title={
            isMeasuring ? 'available when the page’s pictures are measured' : 'compute the loads in the background'
          }
          onClick={() => void adviser.ask(request)}
        >
          Advise
        </button>
      )}
      <select value={seeds} aria-label="seeds" onChange={event => onSeeds(Number(event.target.value))}>
        {SEEDS.map(each => (
          <option key={each} value={each}>
            {each} seeds
          </option>
        ))}
      </select>
    </div>
  );
}

function Bar({adviser}: {readonly adviser: Adviser}) {
  const [first, second] = [useStore(adviser.settings.store), useStore(adviser.changes.store)];
  const [state, what] = first.isBusy ? ([first, 'settings'] as const) : ([second, 'what helps'] as const);
  const isConverting = useStore(adviser.store, each => each.isConverting);
  const [done, wanted] = [doneRuns(state), wantedRuns(state)];
  if (isConverting) return <span className="dim">making pictures progressive and measuring them…</span>;
  return (
    <>
      <span className="dim" aria-live="off">
        {what}: {done} of {wanted} loads
      </span>
      <progress value={done} max={Math.max(wanted, 1)} aria-label="computed loads" />
    </>
  );
}

/** A button in the toolbar that is shown only while advice is computed. */
export function RunningAdvice() {
  const isBusy = useStore(useStateOf(ADVISER).store, state => state.isBusy);
  return isBusy && <AdviceButton />;
}

/**
 * A button that opens the advice. While the loads of the settings are computed, it shows how many percent of them are
 * done.
 */
export function AdviceButton() {
  const session = useSession();
  const adviser = useStateOf(ADVISER);
  const isDisabled = !useHasSeeds();
  const isBusy = useStore(adviser.store, state => state.isBusy);
  const percent = useStore(adviser.settings.store, state =>
    state.isBusy ? Math.floor((100 * doneRuns(state)) / Math.max(wantedRuns(state), 1)) : null,
  );
  return (
    <button
      type="button"
      disabled={isDisabled}
      onClick={() => session.display.openDialog('advice')}
      title="advice: how many streams, and what else would help (A)"
    >
      Advice{isBusy && percent !== null && ` ${percent} %`}
    </button>
  );
}

const SEEDS = [20, 50, 100, 200];
