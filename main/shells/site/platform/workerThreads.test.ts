import {afterEach, expect, test, vi} from 'vitest';
import {setCore, Worker} from './workerThreads.ts';

/** What the page has sent to its worker. */
const sent: unknown[] = [];

class FakeWorker {
  onmessage: unknown;
  onerror: unknown;
  postMessage(message: unknown): void {
    sent.push(structuredClone(message));
  }
  terminate(): void {
    sent.push('terminated');
  }
}

vi.stubGlobal('Worker', FakeWorker);
afterEach(() => vi.unstubAllGlobals());

test('a message that cannot be copied is refused while the network core is on its way, and the worker lives', async () => {
  const core = {} as WebAssembly.Module;
  let deliver = (): void => undefined;
  setCore(
    new Promise(resolve => {
      deliver = () => resolve(core);
    }),
  );
  const worker = new Worker(new URL('https://site.test/worker.js'), {workerData: 'data'});
  const message = {name: 'first'};
  worker.postMessage(message);
  message.name = 'changed later';
  expect(() => worker.postMessage({run: () => undefined})).toThrow('could not be cloned');
  deliver();
  await vi.waitUntil(() => sent.length >= 2);
  expect(sent).toEqual([{workerData: 'data', core}, {name: 'first'}]);
  worker.postMessage('second');
  expect(sent.at(-1)).toBe('second');
});
