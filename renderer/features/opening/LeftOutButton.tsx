import {useStore} from 'zustand';
import {useSession, useStateOf} from '../../session/context.tsx';
import {leftOutCount, leftOutText} from './leftOut.ts';
import {OPENER} from './pageOpener.ts';

/** A button that says in a few words what is left out of the page on screen. */
export function LeftOutButton() {
  const {display} = useSession();
  const opener = useStateOf(OPENER);
  const about = useStore(opener.store, state => state.about);
  const text = about === null ? '' : leftOutText(about);
  if (about === null || text === '') return null;
  return (
    <button
      type="button"
      className="left-out quiet"
      onClick={() => display.openDialog('left out')}
      title={`left out of the page: ${text}`}
    >
      <span className="in-words">{text}</span>
      <span className="in-short">{leftOutCount(about)}</span> left out
    </button>
  );
}
