import {useEffect, useRef} from 'react';
import type {Shortcut} from '../features/feature.ts';
import {FullScreen} from '../kit/fullScreen.ts';
import type {Session} from '../session/session.ts';
import './presenting.css';

/**
 * Hides the controls and the pointer in presenter mode. The pointer is shown while it moves. The controls are shown
 * when the pointer is at the upper or lower edge, or when a key is pressed that neither plays the run nor changes what
 * is shown of it. The document's `data-summoned` is `controls`, `pointer` or `nothing`. Leaving full screen ends
 * presenter mode.
 */
export function usePresenting(session: Session, isPresenting: boolean, shortcuts: readonly Shortcut[]): void {
  useFullScreen(session, isPresenting);
  const last = useRef('');
  useEffect(() => {
    // browsers also send `pointermove` for a resting pointer when the element under it changes, as when this mode
    // begins
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
        // the hidden pointer must highlight nothing; presenting.css keeps it from highlighting what moves under it
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
    dataset['summoned'] = 'nothing';
    session.highlights.hover([]);
    // with the focus, the button that started this mode would stay visible, and the space key would press it
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    window.addEventListener('keydown', press);
    window.addEventListener('pointermove', move);
    return () => {
      window.clearTimeout(timer);
      delete dataset['summoned'];
      window.removeEventListener('keydown', press);
      window.removeEventListener('pointermove', move);
    };
  }, [session, isPresenting, shortcuts]);
}

/**
 * Enters full screen when presenter mode begins, and leaves it when presenter mode ends. If the host cannot put its
 * window in full screen, as in a browser, the page itself enters full screen.
 */
function useFullScreen({host, display}: Session, isPresenting: boolean): void {
  const page = useRef<FullScreen>(null);
  useEffect(() => {
    if (!isPresenting) return;
    page.current ??= new FullScreen(document);
    const fullScreen = page.current;
    const set = async (isFull: boolean) => {
      if (!(await host.setFullScreen(isFull))) await fullScreen.set(isFull);
    };
    void set(true);
    // the browser sends no key event for Escape in full screen
    const forget = fullScreen.onLeave(() => display.present(false));
    return () => {
      forget();
      void set(false);
    };
  }, [host, display, isPresenting]);
}

/** Whether the key plays the run, changes what is shown of the run, or modifies such a key (Shift, Ctrl). */
function isWatching(pressed: string, shortcuts: readonly Shortcut[]): boolean {
  if (WATCHING_KEYS.test(pressed)) return true;
  return shortcuts.some(({key, isForWatching = false}) => isForWatching && key.toLowerCase() === pressed.toLowerCase());
}

const WATCHING_KEYS = /^(Arrow.+|Enter|[0-9]|Shift|Control|Alt|Meta|CapsLock)$/;
const LINGER_MS = 3000;
/** The share of the window's height that counts as its upper or lower edge. */
const EDGE = 0.12;
