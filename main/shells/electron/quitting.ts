import {app} from 'electron';
import type {ShellHost} from '../host.ts';

/** The engine's thread and what is recorded end before the program. */
export function setupQuitting(host: ShellHost): void {
  app.once('will-quit', event => {
    event.preventDefault();
    void host.close().finally(() => app.quit());
  });
}
