import {expect, test} from 'vitest';
import type {PageSnapshot} from '../../app/page/page.ts';
import {Snapshots} from './snapshots.ts';

const page = (hash: string, bytes = 0): PageSnapshot => ({
  name: hash,
  hash,
  leftOut: [],
  headerBytes: 250,
  requestBytes: 200,
  objects: [{url: '/', contentType: 'text/html', body: new Uint8Array(bytes)}],
});
const names = 'abcdefghijkl'.split('');
const held = (snapshots: Snapshots) => names.filter(name => snapshots.get(name) !== undefined).join('');

test('the eight pages that were used last are held', () => {
  const snapshots = new Snapshots();
  for (const name of names) {
    snapshots.add(page(name));
    snapshots.get('a');
  }
  expect(held(snapshots)).toBe('afghijkl');
});

test('pages are held up to a number of bytes, and the newest is always held', () => {
  const snapshots = new Snapshots(100);
  for (const name of ['a', 'b', 'c']) snapshots.add(page(name, 40));
  expect(held(snapshots)).toBe('bc');
  snapshots.add(page('d', 200));
  expect(held(snapshots)).toBe('d');
});

test('a page that is added again is held once', () => {
  const snapshots = new Snapshots(100);
  for (const name of ['a', 'b', 'a', 'a']) snapshots.add(page(name, 50));
  expect(held(snapshots)).toBe('ab');
});
