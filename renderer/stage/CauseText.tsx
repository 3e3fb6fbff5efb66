import {causeOf} from '../../app/cause/cause.ts';
import {numberOf, type PaneLoss} from '../../app/cause/losses.ts';
import {causeSentence} from '../../app/cause/sentence.ts';
import type {ShownRun} from '../store/loads.ts';
import './cause.css';

interface CauseTextProps {
  readonly run: ShownRun;
  /** Of the panes. */
  readonly labels: readonly string[];
  readonly loss: PaneLoss;
}

/** What a loss did, in words; nothing of a packet that was not lost. */
export function CauseText({run, labels, loss}: CauseTextProps) {
  const trace = run.traces[loss.pane];
  const cause = trace === undefined ? undefined : causeOf(trace, loss.packet);
  if (trace === undefined || cause === undefined) return null;
  return (
    <p role="status">
      <strong>{labels[loss.pane]}</strong>
      <span className="cause-number">
        loss {numberOf(run.traces, loss)?.number} of {trace.droppedPackets().length}
      </span>
      {causeSentence(trace, cause)}
    </p>
  );
}
