import {expect, test} from 'vitest';
import {fileManager} from './desktop.ts';

test.each([
  ['linux', ['xdg-open', '/movies']],
  ['darwin', ['open', '-R', '/movies/a b.mp4']],
  ['win32', ['explorer', '/select,/movies/a b.mp4']],
])('on %s a file is shown by the file manager of the system', (platform, expected) => {
  expect(fileManager('/movies/a b.mp4', platform)).toEqual(expected);
});
