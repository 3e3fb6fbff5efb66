import {expect, test} from 'vitest';
import {parseScenario, type Scenario} from '../../app/run/scenario/scenario.ts';
import {DEFAULT_MOVIE} from '../../app/telling/movie/options.ts';
import {cardCommand, recordCommand} from './recordCommand.ts';

const scenario = (document: object): Scenario => {
  const parsed = parseScenario(document);
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return parsed.scenario;
};
const movie = {...DEFAULT_MOVIE, fps: 25, title: false};

test('the card shows the whole command if there is room for it', () => {
  const short = scenario({seed: 3});
  expect(cardCommand(short, movie)).toEqual({command: recordCommand(short, movie), isOfFile: false});
});

test('the command has the axis of the percent view unless it is bytes', () => {
  const visual = {...movie, look: {...movie.look, axis: 'visual' as const}};
  expect(recordCommand(scenario({}), visual)).toContain(' --axis visual ');
  expect(recordCommand(scenario({}), movie)).not.toContain('--axis');
});

test('the command has the thresholds unless they are the defaults', () => {
  const sharp = {...movie, look: {...movie.look, thresholds: {recognisable: 0.8, good: 0.88}}};
  expect(recordCommand(scenario({}), sharp)).toContain(' --recognisable 0.8 ');
  expect(recordCommand(scenario({}), sharp)).not.toContain('--good');
});

test('the command has the explained loss', () => {
  const explained = {...movie, look: {...movie.look, loss: {pane: 1, number: 14}}};
  expect(recordCommand(scenario({}), explained)).toContain(' --loss 2:14 ');
  expect(recordCommand(scenario({}), movie)).not.toContain('--loss');
});

test('the command has the speed unless the speed follows from the run’s length', () => {
  expect(recordCommand(scenario({}), {...movie, speed: 1})).toContain(' --speed 1 ');
  expect(recordCommand(scenario({}), movie)).not.toContain('--speed');
});

test('the command has the page’s title, quoted for a shell', () => {
  const titled = {...movie, look: {...movie.look, pageTitle: 'Our shop’s page'}};
  expect(recordCommand(scenario({}), titled)).toContain(` --title 'Our shop’s page' `);
});

test('the card’s command reveals no path or name that the picture does not show', () => {
  const isOfFile = (page: string, pageTitle: string | null): boolean =>
    cardCommand(scenario({page}), {...movie, look: {...movie.look, pageTitle}}).isOfFile;
  expect(isOfFile('/home/me/shop/index.html', null)).toBe(true);
  expect(isOfFile('gallery-png', 'Our shop')).toBe(true);
  expect(isOfFile('gallery-png', null)).toBe(false);
  expect(isOfFile('https://example.com/shop/', null)).toBe(false);
});

test('the card shows no JSON', () => {
  const burst = scenario({page: 'gallery', path: {loss: {p: 0.01, r: 0.25}}});
  expect(recordCommand(burst, movie)).toContain('{');
  expect(cardCommand(burst, movie)).toEqual({
    command: 'npx interleave record --scenario FILE --fps 25 --no-title --out demo.mp4',
    isOfFile: true,
  });
});

test('a long command refers to a file, and has all options of the movie', () => {
  const changes = Array.from({length: 20}, (_, i) => ({atMs: 1000 * i, path: {loss: i / 100}}));
  expect(cardCommand(scenario({changes}), movie)).toEqual({
    command: 'npx interleave record --scenario FILE --fps 25 --no-title --out demo.mp4',
    isOfFile: true,
  });
});
