import {expect, test} from 'vitest';
import {INVALID, type Problem} from '../scenario/schema.ts';
import {DEFAULT_MOVIE, parseMovie} from './options.ts';

const messageOf = (document: unknown): string | undefined => {
  const problems: Problem[] = [];
  expect(parseMovie(document, '', problems)).toBe(INVALID);
  return problems[0]?.message;
};

test('what is missing is the default', () => {
  expect(parseMovie({}, '', [])).toEqual(DEFAULT_MOVIE);
  expect(parseMovie({look: {theme: 'dark'}}, '', [])).toEqual({
    ...DEFAULT_MOVIE,
    look: {...DEFAULT_MOVIE.look, theme: 'dark'},
  });
});

test('the limits of a size are allowed, and nothing beyond them', () => {
  for (const size of [
    {width: 640, height: 360},
    {width: 3840, height: 2160},
  ]) {
    expect(parseMovie({look: {size}}, '', [])).toMatchObject({look: {size}});
  }
  expect(messageOf({look: {size: {width: 638, height: 360}}})).toMatch(
    /look\.size\.width is 638: .*640 to 3840/,
  );
  expect(messageOf({look: {size: {width: 640, height: 2162}}})).toMatch(/2162: .*360 to 2160/);
  expect(messageOf({look: {size: {width: 641, height: 360}}})).toMatch(/"641x360": must be even numbers/);
});

test('only an animation for slides may have few frames', () => {
  expect(messageOf({fps: 23})).toMatch(/fps is 23: must be a whole number from 24 to 60 \(mp4\)/);
  expect(parseMovie({fps: 5, format: 'gif'}, '', [])).toMatchObject({fps: 5});
  expect(messageOf({fps: 61, format: 'gif'})).toMatch(/fps is 61/);
});

test('the end is after the start', () => {
  expect(messageOf({fromNs: 2e9, toNs: 2e9})).toBe('toNs is "2 s": must be after fromNs, 2 s');
  expect(parseMovie({fromNs: -1e9, toNs: null}, '', [])).toMatchObject({fromNs: -1e9, toNs: null});
});

test('an unknown key is an error that names the nearest', () => {
  expect(messageOf({spede: 2})).toMatch(/spede .*did you mean speed/);
});
