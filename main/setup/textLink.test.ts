import {mkdtempSync, readdirSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {makeTextLink, readTextLink} from './textLink.mjs';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'interleave-link-'));
});
afterEach(() => rmSync(folder, {recursive: true}));

// the method for Windows works on every system
describe.each(['win32', process.platform] as const)('on %s, a text', platform => {
  test('can be read after its entry was made, and no other file stays', () => {
    makeTextLink('host:12:34', join(folder, 'lock'), platform);
    expect(readTextLink(join(folder, 'lock'), platform)).toBe('host:12:34');
    expect(readdirSync(folder)).toEqual(['lock']);
  });

  test('is not replaced', () => {
    makeTextLink('first', join(folder, 'lock'), platform);
    expect(() => makeTextLink('second', join(folder, 'lock'), platform)).toThrow('EEXIST');
    expect(readTextLink(join(folder, 'lock'), platform)).toBe('first');
    expect(readdirSync(folder)).toEqual(['lock']);
  });

  test('that is not there cannot be read', () => {
    expect(() => readTextLink(join(folder, 'lock'), platform)).toThrow('ENOENT');
  });
});
