import {expect, test} from 'vitest';
import type {DevToolsEvent, DevToolsValues} from '../../main/pages/record/devTools.ts';
import {startScreencast} from './screencast.ts';

/** A browser whose navigation began at 5000.25 s. */
function fakeBrowser() {
  const sent: string[] = [];
  const listeners = new Set<(event: DevToolsEvent) => void>();
  const tools = {
    send: async (method: string, {sessionId}: DevToolsValues = {}): Promise<DevToolsValues> => {
      sent.push(sessionId === undefined ? method : `${method} ${sessionId}`);
      return {result: {value: 5_000_250}};
    },
    listen: (listener: (event: DevToolsEvent) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const paint = (sessionId: string, timestamp: number, words: string, frame: number): void => {
    const data = Buffer.from(words).toString('base64');
    const params = {data, metadata: {timestamp}, sessionId: frame};
    for (const listener of listeners) listener({method: 'Page.screencastFrame', params, sessionId});
  };
  return {tools, sent, listeners, paint};
}

test('the times of frames count from the start of the navigation', async () => {
  const {tools, paint} = fakeBrowser();
  const screencast = await startScreencast(tools, 'mine');
  paint('mine', 5000.125, 'blank', 1);
  paint('mine', 5001.5, 'painted', 2);
  const frames = await screencast.stop();
  expect(frames.map(({atMs, picture}) => [atMs, picture.toString()])).toEqual([
    [-125, 'blank'],
    [1250, 'painted'],
  ]);
});

test('each frame of the page is acknowledged, so that the next one comes, and frames of other pages are ignored', async () => {
  const {tools, sent, listeners, paint} = fakeBrowser();
  const screencast = await startScreencast(tools, 'mine');
  paint('mine', 5001, 'a', 7);
  paint('other', 5001, 'b', 8);
  expect(await screencast.stop()).toHaveLength(1);
  expect(sent.filter(call => call.startsWith('Page.'))).toEqual([
    'Page.startScreencast',
    'Page.screencastFrameAck 7',
    'Page.stopScreencast',
  ]);
  expect(listeners.size).toBe(0);
});
