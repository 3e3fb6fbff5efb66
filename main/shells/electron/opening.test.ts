import {spawnSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {app} from 'electron';
import {afterAll, beforeEach, describe, expect, test, vi} from 'vitest';

import {encodeRun} from '../../../app/run/trace/runFile.ts';
import type {OpenedFiles} from '../openedFile.ts';
import type {ShellHost} from '../shellHost.ts';
import {setupOpening} from './opening.ts';

vi.mock('electron', async () => {
  const {EventEmitter} = await import('node:events');
  return {app: new EventEmitter(), BrowserWindow: {getAllWindows: () => []}};
});

const folder = mkdtempSync(join(tmpdir(), 'interleave-opening-'));
writeFileSync(join(folder, 'mine.json'), '{"seed": 7}');
afterAll(() => rmSync(folder, {recursive: true}));

const preventDefault = vi.fn();
const opened: OpenedFiles[] = [];
beforeEach(() => {
  app.removeAllListeners();
  preventDefault.mockClear();
  opened.length = 0;
  setupOpening({open: document => opened.push(document)} as Partial<ShellHost> as ShellHost);
});

test('a file that is opened before there is a window is passed to the host', () => {
  app.emit('open-file', {preventDefault}, join(folder, 'mine.json'));
  expect(opened).toEqual([{name: 'mine.json', text: '{"seed":7}'}]);
  expect(preventDefault).toHaveBeenCalled();
});

test('a link that is opened before there is a window is passed to the host', () => {
  app.emit('open-url', {preventDefault}, 'interleave://scenario/x');
  expect(opened).toEqual([{name: 'the link', text: 'interleave://scenario/x'}]);
  expect(preventDefault).toHaveBeenCalled();
});

test('a path of a second instance is relative to the folder of that instance', () => {
  app.emit('second-instance', {}, ['interleave', '--switch', 'mine.json'], folder);
  expect(opened).toEqual([{name: 'mine.json', text: '{"seed":7}'}]);
});

test('a file that a Linux desktop passes as a URL is opened', () => {
  app.emit('second-instance', {}, ['interleave', pathToFileURL(join(folder, 'mine.json')).href], '/');
  expect(opened).toEqual([{name: 'mine.json', text: '{"seed":7}'}]);
});

test('a URL of a file on another machine is no path', () => {
  app.emit('second-instance', {}, ['interleave', 'file://elsewhere/mine.json'], '/');
  expect(opened[0]?.text).toBe('file://elsewhere/mine.json');
});

test('a link in the arguments of a second instance is passed to the host', () => {
  app.emit('second-instance', {}, ['interleave', '--switch', 'interleave://scenario/x'], folder);
  expect(opened).toEqual([{name: 'interleave://scenario/x', text: 'interleave://scenario/x'}]);
});

test("a preset's name in the arguments of a second instance remains a name", () => {
  app.emit('second-instance', {}, ['interleave', 'n07-vsat'], folder);
  expect(opened).toEqual([{name: 'n07-vsat', text: 'n07-vsat'}]);
});

describe('a file', () => {
  const openFile = (name: string) => {
    app.emit('open-file', {preventDefault}, join(folder, name));
    return opened[0];
  };

  test('with a trace is opened as its scenario', () => {
    writeFileSync(join(folder, 'run.trace'), encodeRun({scenario: {seed: 8}, panes: []}));
    expect(openFile('run.trace')).toEqual({name: 'run.trace', text: '{"seed":8}'});
  });

  test('with a damaged trace is reported', () => {
    writeFileSync(join(folder, 'cut.trace'), encodeRun({scenario: {}, panes: []}).subarray(0, 30));
    expect(openFile('cut.trace')?.problem).toMatch(/cut\.trace: damaged trace file: it has 30 bytes instead of/);
  });

  test.each(['secret', '.ssh'])('without an ending is not read: %s', name => {
    writeFileSync(join(folder, name), 'secret');
    expect(openFile(name)?.text).toBe(join(folder, name));
  });

  test('of an unknown type is not read, and the kinds that can be opened are named', () => {
    writeFileSync(join(folder, 'secret.txt'), 'secret');
    expect(openFile('secret.txt')).toMatchObject({
      text: '',
      problem: expect.stringMatching(/secret\.txt is not a file that can be opened: .*\.trace/),
    });
  });

  test('that is too large for a scenario or a trace is not read', () => {
    writeFileSync(join(folder, 'large.json'), '');
    truncateSync(join(folder, 'large.json'), 64 * 1024 * 1024 + 1);
    expect(openFile('large.json')?.problem).toMatch(/large\.json: has 67108865 bytes \(at most 67108864\)$/);
  });

  test('that is a pipe or a device is not read, and a folder is opened as a page', () => {
    mkdirSync(join(folder, 'folder.json'));
    expect(openFile('folder.json')?.text).toBe(JSON.stringify({page: join(folder, 'folder.json')}));
    spawnSync('mkfifo', [join(folder, 'pipe.json')]);
    symlinkSync('/dev/zero', join(folder, 'zero.json'));
    for (const name of ['pipe.json', 'zero.json']) {
      opened.length = 0;
      expect(openFile(name)?.text).toBe(join(folder, name));
    }
  });
});
