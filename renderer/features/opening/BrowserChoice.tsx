import {useStore} from 'zustand';
import {useStateOf} from '../../session/context.tsx';
import {OPENER} from './pageOpener.ts';

/**
 * Chooses whether an installed Chromium loads the pages that are opened by their address. The command
 * `interleave fetch --with-browser` does the same.
 */
export function BrowserChoice() {
  const opener = useStateOf(OPENER);
  const usesBrowser = useStore(opener.store, state => state.usesBrowser);
  return (
    <label
      className="with-browser"
      title={
        'Chromium runs the page’s scripts. Interleave records what Chromium asks for, and what caused each request. ' +
        'Loads with the model of a browser follow this recording. The gateway answers all requests of Chromium, with ' +
        'the same checks as for other pages.'
      }
    >
      <input type="checkbox" checked={usesBrowser} onChange={event => opener.chooseBrowser(event.target.checked)} />{' '}
      load once in the installed Chromium and record what it asks for
    </label>
  );
}
