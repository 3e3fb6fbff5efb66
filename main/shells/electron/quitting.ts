import {app} from 'electron';
import type {ShellHost} from '../shellHost.ts';

/**
 * Before the program quits, closes the host: this finishes writing files, and ends the engine's threads and all other
 * work, such as a recording. It is done once, even if the program is asked to quit several times.
 */
export function setupQuitting(host: ShellHost): void {
  let state: 'open' | 'closing' | 'closed' = 'open';
  app.on('will-quit', event => {
    if (state === 'closed') return;
    event.preventDefault();
    if (state === 'closing') return;
    state = 'closing';
    const quit = () => {
      state = 'closed';
      app.quit();
    };
    host.close().then(quit, quit);
  });
}
