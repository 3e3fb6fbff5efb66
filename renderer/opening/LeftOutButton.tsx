import {useSession} from '../store/context.ts';
import {useOpener} from './hooks.ts';
import {leftOutText} from './leftOut.ts';

/** What of the page on show is not loaded, in a few words. */
export function LeftOutButton() {
  const {opener} = useSession();
  const text = useOpener(({about}) => (about === null ? '' : leftOutText(about)));
  if (text === '') return null;
  return (
    <button
      type="button"
      className="left-out quiet"
      onClick={() => opener.showLeftOut(true)}
      title={`left out of the page: ${text}`}
    >
      <span>{text}</span> left out
    </button>
  );
}
