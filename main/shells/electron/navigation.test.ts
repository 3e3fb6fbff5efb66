import {EventEmitter} from 'node:events';
import {app} from 'electron';
import {beforeAll, beforeEach, expect, test, vi} from 'vitest';
import {setupNavigation} from './navigation.ts';

vi.mock('electron', async () => {
  const {EventEmitter} = await import('node:events');
  return {app: new EventEmitter(), protocol: {}};
});

const setWindowOpenHandler = vi.fn();
let contents: EventEmitter;
beforeAll(() => setupNavigation());
beforeEach(() => {
  contents = Object.assign(new EventEmitter(), {setWindowOpenHandler});
  app.emit('web-contents-created', {}, contents);
});

test.each([
  ['the window', 'will-navigate', 'https://example.test/', true],
  ['the window, to itself', 'will-frame-navigate', 'app://interleave/', true],
  ['a frame, to the web', 'will-frame-navigate', 'https://example.test/', false],
  ['a frame, to a file', 'will-frame-navigate', 'file:///etc/passwd', false],
  ['a frame, to a page of text', 'will-frame-navigate', 'data:text/html,x', false],
  ['a frame, to a script', 'will-frame-navigate', 'javascript:alert(1)', false],
  ['a frame, to a host with the same beginning', 'will-frame-navigate', 'app://interleave.test/', false],
  ['a frame, to another host’s blob', 'will-frame-navigate', 'blob:https://example.test/1', false],
  ['a redirect', 'will-redirect', 'app://interleave/', false],
  ['a webview', 'will-attach-webview', '', false],
])('navigation is refused: %s', (_, name, url, isMainFrame) => {
  const preventDefault = vi.fn();
  contents.emit(name, {url, isMainFrame, preventDefault});
  expect(preventDefault).toHaveBeenCalled();
});

test.each(['about:blank', 'about:srcdoc', 'app://interleave/movie/stage.html', 'blob:app://interleave/0-1-2'])(
  'a frame may open a document of the program: %s',
  url => {
    const preventDefault = vi.fn();
    contents.emit('will-frame-navigate', {url, isMainFrame: false, preventDefault});
    expect(preventDefault).not.toHaveBeenCalled();
  },
);

test.each([
  'app://interleave/',
  'app://interleave/?speaker=1',
  'app://interleave.test/?speaker',
  'https://example.test/?speaker',
])('no window is opened for %s', url => {
  expect(setWindowOpenHandler.mock.lastCall?.[0]({url})).toEqual({action: 'deny'});
});

test('the speaker view is opened in a window without a preload script', () => {
  const answer = setWindowOpenHandler.mock.lastCall?.[0]({url: 'app://interleave/?speaker'});
  expect(answer.action).toBe('allow');
  const {webPreferences} = answer.overrideBrowserWindowOptions;
  expect(webPreferences).toMatchObject({sandbox: true, contextIsolation: true, nodeIntegration: false});
  expect(webPreferences).not.toHaveProperty('preload');
});
