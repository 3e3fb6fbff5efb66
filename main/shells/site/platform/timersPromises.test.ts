import {getEventListeners} from 'node:events';
import {expect, test} from 'vitest';
import {setTimeout} from './timersPromises.ts';

test('a wait ends after its time with its value, and leaves no listener at its signal', async () => {
  const {signal} = new AbortController();
  expect(await setTimeout(1, 'value', {signal})).toBe('value');
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('a wait ends when its signal is aborted, also if it was aborted before', async () => {
  const abort = new AbortController();
  const waiting = setTimeout(1e6, undefined, {signal: abort.signal});
  abort.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  await expect(setTimeout(1e6, undefined, {signal: abort.signal})).rejects.toThrow('enough');
});
