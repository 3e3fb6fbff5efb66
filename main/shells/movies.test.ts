import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {beforeEach, expect, test, vi} from 'vitest';
import {takeFilmstrip, takeStill} from '../media/movie/stills.ts';
import {Movies} from './movies.ts';

vi.mock('../media/movie/stills.ts', () => ({
  takeStill: vi.fn(async () => new Uint8Array([1])),
  takeFilmstrip: vi.fn(async () => new Uint8Array([2])),
}));
beforeEach(() => void vi.clearAllMocks());

const movies = new Movies({
  openStudio: async () => ({
    browser: 'none',
    openPage: () => Promise.reject(new Error('not opened')),
    close: async () => undefined,
  }),
  folder: join(tmpdir(), 'interleave-no-movies'),
  showFile: null,
  onRecording: () => undefined,
});
const request = {scenario: {}, look: {}, scale: 1};

test('a filmstrip of one time is a filmstrip, not a still', async () => {
  expect(await movies.take({...request, kind: 'filmstrip', timesNs: [4e9]})).toMatchObject({ok: true});
  expect(vi.mocked(takeFilmstrip).mock.lastCall?.[2]).toEqual([4e9]);
  expect(takeStill).not.toHaveBeenCalled();
});

test('a still has exactly one time', async () => {
  expect(await movies.take({...request, kind: 'still', timesNs: [4e9]})).toMatchObject({ok: true});
  expect(vi.mocked(takeStill).mock.lastCall?.[2]).toBe(4e9);
  expect(await movies.take({...request, kind: 'still', timesNs: [4e9, 7e9]})).toMatchObject({
    ok: false,
    message: expect.stringMatching(/^timesNs is \[4000000000,7000000000\]: must be a list of one time/),
  });
  expect(takeStill).toHaveBeenCalledTimes(1);
  expect(takeFilmstrip).not.toHaveBeenCalled();
});
