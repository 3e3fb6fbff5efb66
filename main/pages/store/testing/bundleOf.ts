import {createHash} from 'node:crypto';
import type {Bundle} from '../bundle.ts';

// Makes bundles of a few bytes for tests.

/** A bundle of these files, which are keyed by path. `index.html` must come first. */
export function bundleOf(files: {readonly [path: string]: string}, address = 'https://a.test/'): Bundle {
  const all = Object.entries(files).map(([path, text]) => ({path, bytes: new TextEncoder().encode(text)}));
  const objects = all.map(({path, bytes}) => ({
    address: address + path,
    file: path,
    type: 'text/plain',
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  }));
  return {
    files: all,
    document: {address, date: '2026-01-01T00:00:00.000Z', objects, leftOut: [], notLoaded: []},
  };
}
