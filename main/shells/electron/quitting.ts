import {app} from 'electron';
import type {ShellHost} from '../host.ts';

/** The engine's threads and what is recorded end before the program, however often it is asked to quit. */
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
