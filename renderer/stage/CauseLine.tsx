import {causeOf} from '../../app/cause/cause.ts';
import {numberOf} from '../../app/cause/losses.ts';
import {causeSentence} from '../../app/cause/sentence.ts';
import {useSession, useSessionState} from '../store/context.ts';
import type {ShownRun} from '../store/loads.ts';
import './cause.css';

/** What the chosen loss did, in a line of its own; nothing while none is chosen. */
export function CauseLine({run, labels}: {readonly run: ShownRun; readonly labels: readonly string[]}) {
  const session = useSession();
  const chosen = useSessionState(state => state.chosenLoss);
  const trace = chosen === null ? undefined : run.traces[chosen.pane];
  const cause = chosen === null || trace === undefined ? undefined : causeOf(trace, chosen.packet);
  if (chosen === null || trace === undefined || cause === undefined) return null;
  const number = numberOf(run.traces, chosen)?.number;
  return (
    <div className="cause">
      <span className="cause-steps">
        <button
          type="button"
          className="quiet"
          title="the loss before (,)"
          onClick={() => session.stepLoss(-1)}
        >
          ‹
        </button>
        <button type="button" className="quiet" title="the next loss (.)" onClick={() => session.stepLoss(1)}>
          ›
        </button>
      </span>
      <p role="status">
        <strong>{labels[chosen.pane]}</strong>
        <span className="cause-number">
          loss {number} of {trace.droppedPackets().length}
        </span>
        {causeSentence(trace, cause)}
      </p>
      <button type="button" className="quiet" title="close (Esc)" onClick={() => session.chooseLoss(null)}>
        ×
      </button>
    </div>
  );
}
