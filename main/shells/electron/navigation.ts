import {app} from 'electron';
import {WINDOW_URL} from './assets.ts';

/**
 * Keeps the window on its page. Refuses navigation, redirects, new windows and webviews. Only frames may navigate, and
 * only to the window's own documents and files.
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
    contents.setWindowOpenHandler(() => ({action: 'deny'}));
  });
}

/** Whether a frame may open this URL. A frame may open only documents and files of the window's own page. */
function isOfOurPage(url: string): boolean {
  return (
    ['about:blank', 'about:srcdoc'].includes(url) || url.startsWith(WINDOW_URL) || url.startsWith(`blob:${WINDOW_URL}`)
  );
}
