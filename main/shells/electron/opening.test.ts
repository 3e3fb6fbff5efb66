import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {app} from 'electron';
import {afterAll, beforeEach, expect, test, vi} from 'vitest';
import type {OpenedDocument} from '../../../app/ipc/contract.ts';
import type {ShellHost} from '../host.ts';
import {setupOpening} from './opening.ts';

vi.mock('electron', async () => {
  const {EventEmitter} = await import('node:events');
  return {app: new EventEmitter(), BrowserWindow: {getAllWindows: () => []}};
});

const folder = mkdtempSync(join(tmpdir(), 'interleave-opening-'));
writeFileSync(join(folder, 'mine.json'), '{"seed": 7}');
afterAll(() => rmSync(folder, {recursive: true}));

const preventDefault = vi.fn();
const opened: OpenedDocument[] = [];
beforeEach(() => {
  app.removeAllListeners();
  preventDefault.mockClear();
  opened.length = 0;
  setupOpening({open: document => opened.push(document)} as Partial<ShellHost> as ShellHost);
});

test('a file opened before there is a window is handed to the host', () => {
  app.emit('open-file', {preventDefault}, join(folder, 'mine.json'));
  expect(opened).toEqual([{name: 'mine.json', text: '{"seed": 7}'}]);
  expect(preventDefault).toHaveBeenCalled();
});

test('a link opened before there is a window is handed to the host', () => {
  app.emit('open-url', {preventDefault}, 'interleave://scenario/x');
  expect(opened).toEqual([{name: 'the link', text: 'interleave://scenario/x'}]);
  expect(preventDefault).toHaveBeenCalled();
});

test('a path given to a second instance is from its folder on', () => {
  app.emit('second-instance', {}, ['interleave', '--switch', 'mine.json'], folder);
  expect(opened).toEqual([{name: 'mine.json', text: '{"seed": 7}'}]);
});

test("a preset's name given to a second instance stands for itself", () => {
  app.emit('second-instance', {}, ['interleave', 'n07-vsat'], folder);
  expect(opened).toEqual([{name: 'n07-vsat', text: 'n07-vsat'}]);
});
