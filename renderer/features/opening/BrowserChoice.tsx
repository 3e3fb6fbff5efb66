import {useStore} from 'zustand';
import {useStateOf} from '../../session/context.tsx';
import {OPENER} from './pageOpener.ts';

/** Chooses whether an installed Chromium loads the pages of addresses, as `fetch --with-browser` does. */
export function BrowserChoice() {
  const opener = useStateOf(OPENER);
  const usesBrowser = useStore(opener.store, state => state.usesBrowser);
  return (
    <label
      className="with-browser"
      title={
        'Chromium runs the page’s scripts. What it asks for, and what caused each request, is recorded, and loads with ' +
        'a model of a browser follow the recording. The gateway answers all its requests, with the same checks.'
      }
    >
      <input type="checkbox" checked={usesBrowser} onChange={event => opener.chooseBrowser(event.target.checked)} />{' '}
      load once in the installed Chromium and record what it asks for
    </label>
  );
}
