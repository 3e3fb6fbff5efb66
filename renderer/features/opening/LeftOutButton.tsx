import {useSession} from '../../session/context.ts';
import {useOpener} from './hooks.ts';
import {leftOutCount, leftOutText} from './leftOut.ts';

/** What of the page on show is not loaded, in a few words. */
export function LeftOutButton() {
  const {opener} = useSession();
  const about = useOpener(state => state.about);
  const text = about === null ? '' : leftOutText(about);
  if (about === null || text === '') return null;
  return (
    <button
      type="button"
      className="left-out quiet"
      onClick={() => opener.showLeftOut(true)}
      title={`left out of the page: ${text}`}
    >
      <span className="in-words">{text}</span>
      <span className="in-short">{leftOutCount(about)}</span> left out
    </button>
  );
}
