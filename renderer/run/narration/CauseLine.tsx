import {useSession, useSessionState} from '../../session/context.ts';
import type {ShownRun} from '../../session/loads.ts';
import {stageOf} from '../../session/view.ts';
import {CauseText} from './CauseText.tsx';
import './cause.css';

/** What the chosen loss did, in a line of its own; nothing while none is chosen. */
export function CauseLine({run, labels}: {readonly run: ShownRun; readonly labels: readonly string[]}) {
  const session = useSession();
  const chosen = useSessionState(state => state.chosenLoss);
  const isUpToT = useSessionState(({view}) => stageOf(view).isUpToT);
  if (chosen === null) return null;
  return (
    <div className="cause">
      <span className="cause-steps">
        <button type="button" className="quiet" title="the loss before (,)" onClick={() => session.chosen.stepLoss(-1)}>
          ‹
        </button>
        <button type="button" className="quiet" title="the next loss (.)" onClick={() => session.chosen.stepLoss(1)}>
          ›
        </button>
      </span>
      <CauseText run={run} labels={labels} loss={chosen} upTo={isUpToT ? session.player : null} />
      <button type="button" className="quiet" title="close (Esc)" onClick={() => session.chosen.chooseLoss(null)}>
        ×
      </button>
    </div>
  );
}
