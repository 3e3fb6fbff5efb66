import {EventEmitter} from 'node:events';
import {pathToFileURL} from 'node:url';
import {utilityProcess} from 'electron';
import {expect, test, vi} from 'vitest';
import {openInOwnProcess} from '../../pages/gateway/gatewayProcess.ts';
import {startUtilityProcess} from './utilityProcess.ts';

vi.mock('electron', () => ({utilityProcess: {fork: vi.fn()}}));
vi.mock('node:child_process', () => ({
  fork: () => {
    throw new Error('a fork runs Electron as Node');
  },
}));

const module = pathToFileURL('/somewhere/gateway.mjs');

/** Asks for a page of files. `act` is what the process does when it gets the request. */
async function ask(act: (child: EventEmitter) => void) {
  const child = Object.assign(new EventEmitter(), {
    postMessage: vi.fn(() => act(child)),
    kill: vi.fn(() => true),
  });
  vi.mocked(utilityProcess.fork).mockReturnValueOnce(child as unknown as Electron.UtilityProcess);
  const {signal} = new AbortController();
  const answer = openInOwnProcess({files: []}, {module, signal, startProcess: startUtilityProcess});
  return {answer, child};
}

test('a page is opened in a utility process, which is then ended', async () => {
  const bundle = {document: {}};
  const {answer, child} = await ask(child => child.emit('message', {type: 'bundle', bundle}));
  expect(await answer).toBe(bundle);
  expect(vi.mocked(utilityProcess.fork).mock.lastCall?.[0]).toBe('/somewhere/gateway.mjs');
  expect(child.postMessage).toHaveBeenCalledWith({files: []});
  expect(child.kill).toHaveBeenCalled();
});

test('a utility process that ends or fails is reported', async () => {
  const {answer: ended} = await ask(child => child.emit('exit', 1));
  await expect(ended).rejects.toThrow('the gateway’s process ended');
  const {answer: failed} = await ask(child => child.emit('error', 'FatalError', 'v8'));
  await expect(failed).rejects.toThrow('the gateway’s process failed: FatalError at v8');
});
