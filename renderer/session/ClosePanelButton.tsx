import {Icon} from '../kit/Icon.tsx';
import {useSession} from './context.tsx';

/** Closes the panel that is shown in place of the timeline. `shortcut` is the key that opens and closes this panel. */
export function ClosePanelButton({shortcut}: {readonly shortcut: string}) {
  const {display} = useSession();
  return (
    <button
      type="button"
      className="quiet"
      onClick={() => display.set({panel: null})}
      title={`back to the timeline (${shortcut})`}
      aria-label="back to the timeline"
    >
      <Icon name="close" />
    </button>
  );
}
