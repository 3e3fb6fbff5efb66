import {app} from 'electron';

/** The window stays on its page: no other address, no other window, no webview. */
export function setupNavigation(): void {
  app.on('web-contents-created', (_event, contents) => {
    contents.on('will-navigate', event => event.preventDefault());
    contents.on('will-attach-webview', event => event.preventDefault());
    contents.setWindowOpenHandler(() => ({action: 'deny'}));
  });
}
