import {useStore} from 'zustand';
import {useStateOf} from '../../session/context.tsx';
import {OPENER} from './pageOpener.ts';

/** The progress of a page or of captures that are being opened, or why something cannot be opened. */
export function OpeningNotice() {
  const opener = useStateOf(OPENER);
  const progress = useStore(opener.store, state => state.progress);
  switch (progress.kind) {
    case 'idle':
      return null;
    case 'busy': {
      const {name, done, all, unit} = progress;
      const count = all === 0 ? '' : `: ${done} of ${all} ${unit}`;
      return (
        <div className="notice calm" role="status">
          <p>
            Opening {name}
            {unit === 'requests' ? ' in Chromium' : ''}
            {count}
          </p>
          <progress value={all === 0 ? undefined : done} max={all || 1} />
          <button type="button" onClick={() => opener.cancel()}>
            Cancel
          </button>
        </div>
      );
    }
    case 'failed': {
      const {message, allow} = progress;
      return (
        <div className="notice" role="alert">
          <p>{message}</p>
          {allow !== null && (
            <button type="button" onClick={allow}>
              Allow private addresses for this page
            </button>
          )}
          <button type="button" onClick={() => opener.dismiss()}>
            Dismiss
          </button>
        </div>
      );
    }
  }
}
