import {expect, test} from 'vitest';
import {INVALID, type Problem} from '../../base/schema.ts';
import {DEFAULT_MOVIE, movieDocument, movieProblemText, parseMovie} from './options.ts';

const messageOf = (document: unknown): string | undefined => {
  const problems: Problem[] = [];
  expect(parseMovie(document, '', problems)).toBe(INVALID);
  return problems[0]?.message;
};

test('a missing option has its default value', () => {
  expect(parseMovie({}, '', [])).toEqual(DEFAULT_MOVIE);
  expect(parseMovie({look: {theme: 'dark'}}, '', [])).toEqual({
    ...DEFAULT_MOVIE,
    look: {...DEFAULT_MOVIE.look, theme: 'dark'},
  });
});

test('the axis of the percent view is bytes, scans or visual quality', () => {
  expect(parseMovie({look: {axis: 'visual'}}, '', [])).toMatchObject({look: {axis: 'visual'}});
  expect(messageOf({look: {axis: 'taste'}})).toMatch(/^look\.axis is "taste": must be "bytes" or "scans" or "visual"/);
});

test('a size may be as small and as large as its limits, but no smaller or larger', () => {
  expect(parseMovie({look: {size: '640x360'}}, '', [])).toMatchObject({
    look: {size: {width: 640, height: 360}},
  });
  expect(parseMovie({look: {size: '3840×2160'}}, '', [])).toMatchObject({look: {size: {width: 3840}}});
  for (const size of ['638x360', '640x2162', '641x360', '1280', 'big', 7]) {
    expect(messageOf({look: {size}})).toBe(
      `look.size is ${JSON.stringify(size)}: must be WIDTHxHEIGHT in px, even numbers, from 640x360 to 3840x2160`,
    );
  }
});

test('parsing the document of a movie returns an equal movie', () => {
  const movie = {
    ...DEFAULT_MOVIE,
    fromS: 2,
    look: {
      ...DEFAULT_MOVIE.look,
      size: {width: 640, height: 480},
      thresholds: {recognisable: 0.5, good: 0.75},
      loss: {pane: 1, number: 3},
      pageTitle: 'Our shop',
      scroll: true,
    },
  };
  expect(parseMovie(JSON.parse(JSON.stringify(movieDocument(movie))), '', [])).toEqual(movie);
});

test('a title has 1 to 80 characters', () => {
  expect(messageOf({look: {pageTitle: ''}})).toBe('look.pageTitle is "": must be a text of 1 to 80 characters');
  expect(parseMovie({look: {pageTitle: 'x'.repeat(80)}}, '', [])).not.toBe(INVALID);
  const problems: Problem[] = [];
  parseMovie({look: {pageTitle: 'x'.repeat(81)}}, '', problems);
  expect(problems.map(problem => movieProblemText(problem, '--'))).toEqual([
    expect.stringMatching(/^--title is "x+.*: must be a text of 1 to 80 characters$/),
  ]);
});

test('each format has its own limits of frames per second', () => {
  expect(messageOf({fps: 23.5})).toBe('fps is 23.5: must be a whole number from 24 to 60');
  expect(messageOf({fps: 61})).toBe('fps is 61: must be a whole number from 24 to 60');
  expect(messageOf({fps: 60, format: 'gif'})).toBe('fps is 60: must be a whole number from 1 to 50');
  expect(parseMovie({fps: 5, format: 'webp'}, '', [])).toMatchObject({fps: 5});
});

test('a speed is a number or "auto"', () => {
  expect(parseMovie({speed: 'auto', look: {reveal: true}}, '', [])).toMatchObject({
    speed: 'auto',
    look: {reveal: true},
  });
  expect(messageOf({speed: 'fast'})).toBe('speed is "fast": must be a number from 0.01 to 20, or "auto"');
});

test('thresholds are 0 < recognisable ≤ good ≤ 1, and a missing one has its default', () => {
  expect(parseMovie({look: {thresholds: {recognisable: 0.5}}}, '', [])).toMatchObject({
    look: {thresholds: {recognisable: 0.5, good: 0.88}},
  });
  const of = (thresholds: object) => messageOf({look: {thresholds}});
  expect(of({recognisable: 0})).toBe('look.thresholds.recognisable is 0: must be above 0 and at most 1');
  expect(of({recognisable: 0.9})).toBe('look.thresholds.good is 0.88: must be 0.9 (recognisable) to 1');
  expect(of({good: 1.5})).toBe('look.thresholds.good is 1.5: must be 0.65 (recognisable) to 1');
  expect(of({good: 'most'})).toBe('look.thresholds.good is "most": must be a number');
});

test('a loss is written PANE:NUMBER, and both are counted from 1', () => {
  expect(parseMovie({look: {loss: '2:14'}}, '', [])).toMatchObject({look: {loss: {pane: 1, number: 14}}});
  expect(parseMovie({look: {loss: null}}, '', [])).toMatchObject({look: {loss: null}});
  for (const loss of ['14', '0:1', '1:0', '2:', ':2', '1:2:3', '1:1.5', 7])
    expect(messageOf({look: {loss}})).toBe(
      `look.loss is ${JSON.stringify(loss)}: must be PANE:NUMBER, both from 1, like 2:14`,
    );
});

test('a movie must end after its start', () => {
  expect(messageOf({fromS: 2, toS: 2})).toBe('toS is 2: must be after the start, 2');
  expect(parseMovie({fromS: -1, toS: null}, '', [])).toMatchObject({fromS: -1, toS: null});
});

test('messages for users give an option the name that it has on the command line', () => {
  const problems: Problem[] = [];
  parseMovie({look: {size: 'big', thresholds: {good: 2}}, fromS: 1e9}, '', problems);
  expect(problems.map(problem => movieProblemText(problem, '--'))).toEqual([
    '--size is "big": must be WIDTHxHEIGHT in px, even numbers, from 640x360 to 3840x2160',
    '--good is 2: must be 0.65 (recognisable) to 1',
    '--from is 1000000000: must be a number from -86400 to 86400',
  ]);
});

test('the message about an unknown key suggests the nearest known key', () => {
  expect(messageOf({spede: 2})).toMatch(/spede .*did you mean speed/);
});
