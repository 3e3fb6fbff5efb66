import {EventEmitter} from 'node:events';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {BrowserWindow, Rectangle} from 'electron';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {keepWindowPlace, readWindowPlace} from './windowPlace.ts';

const LAPTOP = {x: 0, y: 25, width: 1440, height: 875};
const PROJECTOR = {x: 1440, y: 0, width: 1920, height: 1080};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'interleave-place-'));
});
afterEach(() => rmSync(folder, {recursive: true, force: true}));

/** Closes a window that is at this place. */
function close(bounds: Rectangle, isMaximized = false): void {
  const window = Object.assign(new EventEmitter(), {getNormalBounds: () => bounds, isMaximized: () => isMaximized});
  keepWindowPlace(window as unknown as BrowserWindow, folder);
  window.emit('close');
}

test('the first window has the usual size, and no place', () => {
  expect(readWindowPlace(folder, [LAPTOP])).toEqual({bounds: {width: 1280, height: 800}, isMaximized: false});
});

test('a window opens where it was closed, also on another screen and maximized', () => {
  const bounds = {x: 1500, y: 40, width: 1000, height: 700};
  close(bounds, true);
  expect(readWindowPlace(folder, [LAPTOP, PROJECTOR])).toEqual({bounds, isMaximized: true});
});

test('a window whose screen is gone keeps its size, and gets a new place', () => {
  close({x: 1500, y: 40, width: 1000, height: 700});
  expect(readWindowPlace(folder, [LAPTOP]).bounds).toEqual({width: 1000, height: 700});
});

test.each([
  ['left of the screen', {x: -950, y: 100}],
  ['right of the screen', {x: 1400, y: 100}],
  ['below the screen', {x: 100, y: 880}],
  ['with the title bar above the screen', {x: 100, y: 0}],
])('a window that is out of reach gets a new place: %s', (_, place) => {
  close({...place, width: 1000, height: 700});
  expect(readWindowPlace(folder, [LAPTOP]).bounds).toEqual({width: 1000, height: 700});
});

test('a window is not larger than its screen', () => {
  close({x: 1500, y: 40, width: 1900, height: 1000});
  expect(readWindowPlace(folder, [LAPTOP]).bounds).toEqual({width: 1440, height: 875});
});

test.each(['{', 'null', '7', '{"bounds":{"x":1,"y":100,"width":"2","height":3}}', '{"bounds":{"x":1e99}}'])(
  'a file with another content is ignored: %s',
  text => {
    writeFileSync(join(folder, 'place.json'), text);
    expect(readWindowPlace(folder, [LAPTOP]).bounds).toEqual({width: 1280, height: 800});
  },
);

test('a window closes even if its place cannot be stored', () => {
  rmSync(folder, {recursive: true});
  writeFileSync(folder, 'a file');
  close({x: 1, y: 30, width: 500, height: 500});
  expect(readWindowPlace(folder, [LAPTOP]).bounds).toEqual({width: 1280, height: 800});
});
