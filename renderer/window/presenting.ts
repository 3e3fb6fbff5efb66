import {useEffect, useRef} from 'react';
import type {Shortcut} from '../features/feature.ts';
import type {Session} from '../session/session.ts';
import './presenting.css';

/**
 * Hides the controls and the pointer in presenter mode. The pointer is shown when it moves. The controls are shown when
 * the pointer is at the upper or lower edge, or when a key is pressed that is not for playing or looking. The
 * document's `data-summoned` is `controls`, `pointer` or `nothing`. Leaving full screen ends presenter mode.
 */
export function usePresenting(session: Session, isPresenting: boolean, shortcuts: readonly Shortcut[]): void {
  const last = useRef('');
  useEffect(() => {
    // browsers send this event for a resting pointer, too, when what is under it changes, as it does now
    const isResting = ({clientX, clientY}: PointerEvent): boolean => {
      const place = `${clientX} ${clientY}`;
      const isSame = place === last.current;
      last.current = place;
      return isSame;
    };
    if (!isPresenting) {
      window.addEventListener('pointermove', isResting);
      return () => window.removeEventListener('pointermove', isResting);
    }
    const {dataset} = document.documentElement;
    let timer = 0;
    const summon = (what: 'controls' | 'pointer') => {
      if (dataset['summoned'] !== 'controls') dataset['summoned'] = what;
      window.clearTimeout(timer);
      timer = window.setTimeout(() => {
        dataset['summoned'] = 'nothing';
        // the hidden pointer highlights nothing (the style sheet does the same for the elements below the pointer)
        session.highlights.hover([]);
      }, LINGER_MS);
    };
    const press = ({key}: KeyboardEvent) => {
      if (!isWatching(key, shortcuts)) summon('controls');
    };
    const move = (event: PointerEvent) => {
      if (isResting(event)) return;
      const share = event.clientY / window.innerHeight;
      summon(share < EDGE || share > 1 - EDGE ? 'controls' : 'pointer');
    };
    let wasFull = false;
    const leave = () => {
      const isFull = document.fullscreenElement !== null;
      // the browser's own Escape sends no other event; the event of an earlier presentation may come late
      if (wasFull && !isFull) session.display.present(false);
      wasFull = isFull;
    };
    dataset['summoned'] = 'nothing';
    session.highlights.hover([]);
    // if the button that began the mode kept the focus, it would stay visible, and the space key would press it
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    window.addEventListener('keydown', press);
    window.addEventListener('pointermove', move);
    document.addEventListener('fullscreenchange', leave);
    return () => {
      window.clearTimeout(timer);
      delete dataset['summoned'];
      window.removeEventListener('keydown', press);
      window.removeEventListener('pointermove', move);
      document.removeEventListener('fullscreenchange', leave);
    };
  }, [session, isPresenting, shortcuts]);
}

/** Whether the key plays the run, changes what is shown of it, or is held for a key that does. */
function isWatching(pressed: string, shortcuts: readonly Shortcut[]): boolean {
  if (WATCHING_KEYS.test(pressed)) return true;
  return shortcuts.some(({key, isForWatching = false}) => isForWatching && key.toLowerCase() === pressed.toLowerCase());
}

const WATCHING_KEYS = /^(Arrow.+|Enter|[0-9]|Shift|Control|Alt|Meta|CapsLock)$/;
const LINGER_MS = 3000;
/** The share of the window's height that counts as its upper or lower edge. */
const EDGE = 0.12;
