import {useMemo} from 'react';
import {causeOf} from '../../../app/run/cause/cause.ts';
import {causeSentence, causeSentenceAt} from '../../../app/run/cause/causeSentence.ts';
import {numberOf, type PaneLoss} from '../../../app/run/cause/losses.ts';
import {Icon} from '../../kit/Icon.tsx';
import type {ShownRun} from '../../session/loads.ts';
import type {Player} from '../../session/player.ts';
import {TextAt} from './TextAt.tsx';
import './cause.css';
import {useSession, useSessionState} from '../../session/context.tsx';
import {stageOf} from '../../session/viewSettings.ts';

interface CauseTextProps {
  readonly run: ShownRun;
  /** The names of the panes. */
  readonly labels: readonly string[];
  readonly loss: PaneLoss;
  /** The player whose t limits what the text reveals; null if the text reveals everything. */
  readonly upTo: Player | null;
}

/** A sentence about the effect of a loss. Renders nothing if the packet was not lost. */
export function CauseText({run, labels, loss, upTo}: CauseTextProps) {
  const trace = run.traces[loss.pane];
  const cause = useMemo(() => (trace === undefined ? undefined : causeOf(trace, loss.packet)), [trace, loss.packet]);
  const textAt = useMemo(
    () => (tNs: number) => (trace && cause ? causeSentenceAt(trace, cause, tNs) || NOT_YET : ''),
    [trace, cause],
  );
  if (trace === undefined || cause === undefined) return null;
  const {number} = numberOf(run.traces, loss) ?? {};
  const label = labels[loss.pane] ?? '';
  const whole = causeSentence(trace, cause);
  return (
    // room for the whole sentence is reserved, so that nothing moves while the sentence grows
    <p role="status" data-whole={upTo === null ? undefined : `${label} loss ${number} ${whole}`}>
      <span>
        <strong>{label}</strong>
        <span className="cause-number">
          loss {number}
          {upTo === null && ` of ${trace.droppedPackets().length}`}
        </span>
        {upTo === null ? whole : <TextAt player={upTo} text={textAt} />}
      </span>
    </p>
  );
}

/** The text before the time of the loss. */
const NOT_YET = 'This packet is not lost yet.';

/** The line that explains the chosen loss. Renders nothing if no loss is chosen. */
export function CauseLine({run, labels}: {readonly run: ShownRun; readonly labels: readonly string[]}) {
  const session = useSession();
  const chosen = useSessionState(state => state.chosenLoss);
  const isUpToT = useSessionState(({view}) => stageOf(view).isUpToT);
  if (chosen === null) return null;
  return (
    <div className="cause">
      <span className="cause-steps">
        <button
          type="button"
          className="quiet"
          title="previous loss (,)"
          aria-label="previous loss"
          onClick={() => session.highlights.stepLoss(-1)}
        >
          <Icon name="previous" />
        </button>
        <button
          type="button"
          className="quiet"
          title="next loss (.)"
          aria-label="next loss"
          onClick={() => session.highlights.stepLoss(1)}
        >
          <Icon name="next" />
        </button>
      </span>
      <CauseText run={run} labels={labels} loss={chosen} upTo={isUpToT ? session.player : null} />
      <button
        type="button"
        className="quiet"
        title="close (Esc)"
        aria-label="close the explanation"
        onClick={() => session.highlights.chooseLoss(null)}
      >
        <Icon name="close" />
      </button>
    </div>
  );
}
