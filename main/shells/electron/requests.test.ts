import {app, session} from 'electron';
import {expect, test, vi} from 'vitest';
import {setupQuiet, setupRequests} from './requests.ts';

vi.mock('electron', () => ({
  app: {commandLine: {appendSwitch: vi.fn()}},
  session: {defaultSession: {webRequest: {onBeforeRequest: vi.fn()}}},
  protocol: {},
}));

/** Whether a request is cancelled. */
function isCancelled(url: string): boolean | undefined {
  setupRequests();
  const [listener] = vi.mocked(session.defaultSession.webRequest.onBeforeRequest).mock.lastCall ?? [];
  let cancel: boolean | undefined;
  // the method's other signature has a filter as its first argument
  (listener as unknown as (details: object, answer: (response: {cancel: boolean}) => void) => void)({url}, answer => {
    cancel = answer.cancel;
  });
  return cancel;
}

test.each([
  'https://example.test/',
  'http://127.0.0.1:80/',
  'ws://127.0.0.1/',
  'wss://example.test/',
  'ftp://example.test/',
  'file:///etc/passwd',
  'application://x/',
  'chrome-extension://x/',
])('%s is not loaded', url => {
  expect(isCancelled(url)).toBe(true);
});

test.each(['app://interleave/index.html', 'blob:app://interleave/1', 'data:text/plain,x', 'about:blank'])(
  '%s is loaded',
  url => {
    expect(isCancelled(url)).toBe(false);
  },
);

test('Chromium’s own requests go to a proxy address without a server', () => {
  setupQuiet();
  const switches = Object.fromEntries(vi.mocked(app.commandLine.appendSwitch).mock.calls);
  expect(switches).toMatchObject({
    'proxy-server': 'http://127.0.0.1:1',
    'proxy-bypass-list': '<-loopback>',
    'host-resolver-rules': 'MAP * ~NOTFOUND',
  });
});
