import {type ReactNode, useEffect} from 'react';
import {useModal} from '../../kit/useModal.ts';
import {wantsCalm} from '../../kit/wantsCalm.ts';
import {useSession, useSessionState, useStateOf} from '../../session/context.tsx';
import {type Door, useFeatures} from '../feature.ts';
import {START} from './startScreen.ts';
import './start.css';

/** The start screen: a question and three offers ({@link Door}), in front of a run. */
export function StartDialog() {
  const start = useStateOf(START);
  const isOpen = useSessionState(state => state.view.dialog === 'start');
  const dialog = useModal(isOpen);
  const doors = useFeatures().flatMap(({door}) => door ?? []);
  useReplay(isOpen);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same
    <dialog
      ref={dialog}
      className="start"
      aria-labelledby="question"
      onClose={() => start.leave()}
      onClick={event => {
        // the target is the dialog itself only if the click is beside its contents
        if (event.target === event.currentTarget) start.leave();
      }}
    >
      {isOpen && (
        <div className="start-contents">
          <h2 id="question">What does one lost packet stop?</h2>
          <div className="doors">
            {PLACES.map(place => (
              <DoorOf key={place} door={doors.find(each => each.place === place)} />
            ))}
          </div>
          <button type="button" onClick={() => start.leave()} title="close the start screen (Esc)">
            Go to the demo
          </button>
        </div>
      )}
    </dialog>
  );
}

function DoorOf({door}: {readonly door: Door | undefined}): ReactNode {
  const start = useStateOf(START);
  if (door === undefined) return null;
  const {place, title, View} = door;
  return (
    <section className="door" aria-label={title}>
      <h3>{title}</h3>
      <View key={place} leave={() => start.leave()} />
    </section>
  );
}

/**
 * Plays the run again after its end, so that something moves behind the question. If playing stops at a lost packet,
 * before the end of the run, it is not continued.
 */
function useReplay(isOpen: boolean): void {
  const {player} = useSession();
  useEffect(() => {
    if (!isOpen || wantsCalm()) return;
    let timer = 0;
    const end = player.onState(() => {
      window.clearTimeout(timer);
      const {isPlaying, endNs} = player.state;
      if (!isPlaying && endNs > 0 && player.tNs >= endNs) timer = window.setTimeout(() => player.play(), PAUSE_MS);
    });
    return () => {
      window.clearTimeout(timer);
      end();
    };
  }, [player, isOpen]);
}

const PLACES: readonly Door['place'][] = ['watch', 'compare', 'page'];
const PAUSE_MS = 3000;
