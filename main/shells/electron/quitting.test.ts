import {app} from 'electron';
import {expect, test, vi} from 'vitest';
import type {ShellHost} from '../shellHost.ts';
import {setupQuitting} from './quitting.ts';

vi.mock('electron', async () => {
  const {EventEmitter} = await import('node:events');
  return {app: Object.assign(new EventEmitter(), {quit: vi.fn()})};
});

test('quitting closes the host once and waits for it, even if the program is asked to quit twice', async () => {
  let end = () => {};
  const closed = new Promise<void>(resolve => {
    end = resolve;
  });
  const close = vi.fn(() => closed);
  setupQuitting({close} as Partial<ShellHost> as ShellHost);
  const quit = () => {
    const preventDefault = vi.fn();
    app.emit('will-quit', {preventDefault});
    return preventDefault.mock.calls.length === 0;
  };
  expect([quit(), quit()]).toEqual([false, false]);
  expect(close).toHaveBeenCalledTimes(1);
  expect(app.quit).not.toHaveBeenCalled();
  end();
  await vi.waitFor(() => expect(app.quit).toHaveBeenCalledTimes(1));
  expect(quit()).toBe(true);
});
