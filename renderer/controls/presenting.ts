import {useEffect} from 'react';
import type {Session} from '../store/session.ts';
import './presenting.css';

/**
 * Presenter mode keeps the controls away until a key or the pointer at the upper or lower edge asks for them,
 * and the pointer until it moves: the document's `data-summoned` is `controls`, `pointer` or `nothing`. Leaving
 * full screen leaves the mode.
 */
export function usePresenting(session: Session, isPresenting: boolean): void {
  useEffect(() => {
    if (!isPresenting) return;
    const {dataset} = document.documentElement;
    let timer = 0;
    let last = '';
    const summon = (what: 'controls' | 'pointer') => {
      if (dataset['summoned'] !== 'controls') dataset['summoned'] = what;
      window.clearTimeout(timer);
      timer = window.setTimeout(() => {
        dataset['summoned'] = 'nothing';
      }, LINGER_MS);
    };
    const press = () => summon('controls');
    const move = ({clientX, clientY}: PointerEvent) => {
      // a resting pointer is told of too, whenever what is under it changes
      const place = `${clientX} ${clientY}`;
      if (place === last) return;
      last = place;
      const share = clientY / window.innerHeight;
      summon(share < EDGE || share > 1 - EDGE ? 'controls' : 'pointer');
    };
    const leave = () => {
      // the browser's own Escape tells nothing else
      if (document.fullscreenElement === null) session.present(false);
    };
    dataset['summoned'] = 'nothing';
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
  }, [session, isPresenting]);
}

const LINGER_MS = 3000;
/** Of the window's height. */
const EDGE = 0.12;
