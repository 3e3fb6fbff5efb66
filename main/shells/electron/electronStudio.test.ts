import {EventEmitter} from 'node:events';
import type {WebContents} from 'electron';
import {beforeEach, expect, test, vi} from 'vitest';
import {openElectronStudio} from './electronStudio.ts';

// The tests use a window whose page never answers.

class FakeWindow extends EventEmitter {
  static last: FakeWindow;
  readonly debugger = Object.assign(new EventEmitter(), {
    attach: vi.fn(),
    sendCommand: () => new Promise(() => undefined),
  });
  readonly webContents = Object.assign(new EventEmitter(), {debugger: this.debugger});
  readonly isDestroyed = () => false;
  readonly destroy = vi.fn();
  loadURL = (): Promise<void> => Promise.resolve();

  constructor() {
    super();
    FakeWindow.last = this;
  }
}

const electron = vi.hoisted(() => ({BrowserWindow: undefined as unknown, app: {}, protocol: {}}));
vi.mock('electron', () => electron);

const pages = new Set<WebContents>();
beforeEach(() => {
  electron.BrowserWindow = FakeWindow;
});

test('Electron names itself differently from installed browsers, because caches depend on the name', async () => {
  vi.stubGlobal('process', {...process, versions: {...process.versions, electron: '45.4.1'}});
  const {browser} = await openElectronStudio('preload.cjs', pages);
  vi.unstubAllGlobals();
  expect(browser).toBe('Electron 45.4.1');
});

test.each([
  ['its process has crashed', 'render-process-gone'],
  ['the page is destroyed', 'destroyed'],
])('a call to a page is rejected when %s', async (_, event) => {
  const studio = await openElectronStudio('preload.cjs', pages);
  const {send} = await studio.openPage('movie/stage.html');
  const answer = send('Page.captureScreenshot');
  FakeWindow.last.webContents.emit(event);
  await expect(answer).rejects.toThrow('the hidden browser page that paints the pictures was closed or has crashed');
  await expect(send('Page.enable')).rejects.toThrow('was closed or has crashed');
});

test('a call to a page is rejected when the debugger is detached', async () => {
  const studio = await openElectronStudio('preload.cjs', pages);
  const {send} = await studio.openPage('movie/stage.html');
  const answer = send('Page.captureScreenshot');
  FakeWindow.last.debugger.emit('detach');
  await expect(answer).rejects.toThrow('was closed or has crashed');
});

test('opening a page that ends while it loads is rejected', async () => {
  const studio = await openElectronStudio('preload.cjs', pages);
  electron.BrowserWindow = class extends FakeWindow {
    override loadURL = (): Promise<void> => new Promise(() => undefined);
  };
  const opening = studio.openPage('movie/stage.html');
  FakeWindow.last.webContents.emit('render-process-gone');
  await expect(opening).rejects.toThrow('was closed or has crashed');
});
