import {useSession} from '../../session/context.tsx';
import {useOpener} from './hooks.ts';
import {leftOutCount, leftOutText} from './leftOut.ts';

/** What of the page on show is not loaded, in a few words. */
export function LeftOutButton() {
  const {display} = useSession();
  const about = useOpener(state => state.about);
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
