import {app} from 'electron';
import type {ShellHost} from '../host.ts';

/** The program ends with its window, and the engine's thread before the program. */
export function setupQuitting(host: ShellHost): void {
  app.on('window-all-closed', () => app.quit());
  app.once('will-quit', event => {
    event.preventDefault();
    void host.close().then(() => app.quit());
  });
}
