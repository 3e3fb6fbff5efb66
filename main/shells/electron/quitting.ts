import {app} from 'electron';
import type {ShellHost} from '../shellHost.ts';

/** Ends the engine's threads and any recording before the program quits, however often it is asked to. */
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
