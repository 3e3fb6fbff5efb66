import {useState} from 'react';
import {Icon} from '../kit/Icon.tsx';
import {FairnessLine} from '../run/metrics/FairnessLine.tsx';
import {CauseLine} from '../run/narration/CauseText.tsx';
import {RunFacts} from '../run/narration/RunFacts.tsx';
import {PacketPanel} from '../run/packets/PacketPanel.tsx';
import {ObjectDetails} from '../run/panes/ObjectDetails.tsx';
import {useEye, useSession, useSessionState} from '../session/context.tsx';
import type {ShownRun} from '../session/loads.ts';
import {stageOf} from '../session/viewSettings.ts';
import {Boundary} from './Boundary.tsx';
import './drawer.css';

type Subject = 'loss' | 'packet' | 'object';

interface DrawerProps {
  readonly run: ShownRun;
  /** The names of the panes. */
  readonly labels: readonly string[];
}

/**
 * The place for details below the timeline. It shows the loss, the packet or the object that the user chose last. If
 * nothing is chosen, it says what the run shows and what makes the comparison fair. Except on a small screen, its
 * height does not depend on what is chosen, so that nothing moves. In presenter mode, it lies over other parts, and is
 * hidden if nothing is chosen.
 */
export function Drawer({run, labels}: DrawerProps) {
  const {display, player} = useSession();
  const eye = useEye();
  const isUpToT = useSessionState(({view}) => stageOf(view).isUpToT);
  const loss = useSessionState(state => state.chosenLoss);
  const packet = useSessionState(state => state.chosenPacket);
  const object = useSessionState(state => state.selected);
  const isHigh = useSessionState(state => state.view.isDrawerHigh);
  const isPresenting = useSessionState(state => state.view.isPresenting);
  const chosen = {loss, packet, object};
  const subjects = SUBJECTS.filter(each => chosen[each] !== null);
  const [subject, setSubject] = useNewest(chosen);
  const shown = subjects.includes(subject) ? subject : subjects.at(-1);
  if (shown === undefined && isPresenting) return null;
  return (
    <section className={`drawer${isHigh ? ' is-high' : ''}`} aria-label="details">
      {subjects.length > 1 && (
        <fieldset className="segments">
          <legend>details of the</legend>
          {subjects.map(each => (
            <button key={each} type="button" aria-pressed={each === shown} onClick={() => setSubject(each)}>
              {each}
            </button>
          ))}
        </fieldset>
      )}
      <div className="drawer-contents">
        {shown === undefined && (
          <Boundary region="the facts of the run" shown={[run, eye]}>
            <RunFacts run={run} player={player} eye={eye} isUpToT={isUpToT} />
            <FairnessLine run={run} labels={labels} />
          </Boundary>
        )}
        {shown === 'loss' && (
          <Boundary region="what the loss did" shown={[run, loss]}>
            <CauseLine run={run} labels={labels} />
          </Boundary>
        )}
        {shown === 'packet' && (
          <Boundary region="the packet" shown={[run, packet]}>
            <PacketPanel run={run} labels={labels} />
          </Boundary>
        )}
        {shown === 'object' && (
          <Boundary region="the object" shown={[run, object]}>
            <ObjectDetails run={run} labels={labels} />
          </Boundary>
        )}
      </div>
      {shown !== undefined && (
        <button
          type="button"
          className="quiet"
          aria-label="more room for details"
          aria-pressed={isHigh}
          title={isHigh ? 'less room for details' : 'more room for details'}
          onClick={() => display.set({isDrawerHigh: !isHigh})}
        >
          <Icon name={isHigh ? 'down' : 'up'} />
        </button>
      )}
    </section>
  );
}

type Chosen = {readonly [S in Subject]: unknown};

/** The subject that was chosen last, and a function that chooses another. */
function useNewest(chosen: Chosen): readonly [Subject, (subject: Subject) => void] {
  const [before, setBefore] = useState(chosen);
  const [subject, setSubject] = useState<Subject>('loss');
  const changed = SUBJECTS.filter(each => chosen[each] !== before[each]);
  // React renders again immediately, before it paints the result of this call
  if (changed.length > 0) {
    setBefore(chosen);
    const newest = changed.filter(each => chosen[each] !== null).at(-1);
    if (newest !== undefined) setSubject(newest);
  }
  return [subject, setSubject];
}

const SUBJECTS: readonly Subject[] = ['object', 'loss', 'packet'];
