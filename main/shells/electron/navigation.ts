import {app} from 'electron';
import {WINDOW_URL} from './assets.ts';
import {ISOLATED_PREFERENCES} from './window.ts';

/**
 * Keeps the window on its page. Refuses navigation, redirects, webviews, and new windows except the speaker view. Only
 * iframes may navigate, and only to the window's own documents and files.
 */
export function setupNavigation(): void {
  app.on('web-contents-created', (_event, contents) => {
    contents.on('will-navigate', event => event.preventDefault());
    contents.on('will-frame-navigate', event => {
      if (event.isMainFrame || !isOfOurPage(event.url)) event.preventDefault();
    });
    // the program itself never redirects
    contents.on('will-redirect', event => event.preventDefault());
    contents.on('will-attach-webview', event => event.preventDefault());
    contents.setWindowOpenHandler(({url}) => (url === SPEAKER_URL ? {action: 'allow', ...SPEAKER_WINDOW} : DENIED));
  });
}

const SPEAKER_URL = `${WINDOW_URL}?speaker`;

/** The speaker view gets everything from the window, so it needs no preload script. ipc.ts would refuse its calls. */
const SPEAKER_WINDOW = {
  overrideBrowserWindowOptions: {autoHideMenuBar: true, webPreferences: ISOLATED_PREFERENCES},
} as const;
const DENIED = {action: 'deny'} as const;

/** Whether an iframe may open this URL. It may open only documents and files of the window's own page. */
function isOfOurPage(url: string): boolean {
  return (
    ['about:blank', 'about:srcdoc'].includes(url) || url.startsWith(WINDOW_URL) || url.startsWith(`blob:${WINDOW_URL}`)
  );
}
