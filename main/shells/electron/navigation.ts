import {app} from 'electron';
import {WINDOW_URL} from './assets.ts';

/** Keeps the window on its page. Navigation, in frames too, redirects, new windows and webviews are all refused. */
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

/** What the page may put into a frame: its own documents and files. */
function isOfOurPage(url: string): boolean {
  return (
    ['about:blank', 'about:srcdoc'].includes(url) || url.startsWith(WINDOW_URL) || url.startsWith(`blob:${WINDOW_URL}`)
  );
}
