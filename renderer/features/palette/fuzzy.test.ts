import {describe, expect, test} from 'vitest';
import {matchScore} from './fuzzy.ts';

/** The titles that match, the best first. */
function found(typed: string, titles: readonly string[]): readonly string[] {
  return titles
    .map(title => ({title, score: matchScore(typed, title)}))
    .filter(({score}) => score !== null)
    .sort((a, b) => (b.score ?? 0) - (a.score ?? 0))
    .map(({title}) => title);
}

describe('a typed text', () => {
  test.each([
    ['loss', ['Loss, %', 'Explain the next loss', 'Glossary']],
    ['rec mov', ['Record a movie or a picture']],
    ['wifi', ['Preset: Bad Wi-Fi: 5 Mbps', 'Wifi']],
    ['dark', ['Theme: dark']],
    ['DARK', ['Theme: dark']],
    ['montreal', ['Page: Montréal']],
  ])('%s finds what contains its words', (typed, titles) => {
    expect([...found(typed, titles)].sort()).toEqual([...titles].sort());
  });

  test.each([
    ['loss', 'Presets of glaciers'],
    ['rtt', 'Start'],
    ['record xyz', 'Record a movie'],
    ['zq', 'Size quality'],
    ['tpc', 'The experiment is over'],
  ])('%s does not find %s', (typed, title) => {
    expect(matchScore(typed, title)).toBeNull();
  });

  test('finds whole words before beginnings of words, and beginnings before middles', () => {
    expect(found('loss', ['Glossary', 'Losses', 'A loss that is explained'])).toEqual([
      'A loss that is explained',
      'Losses',
      'Glossary',
    ]);
  });

  test('finds connected letters before scattered ones, and a short title before a long one', () => {
    expect(found('exp', ['Extra panes', 'Experiment'])[0]).toBe('Experiment');
    expect(found('rate', ['Rate down of the path', 'Rate'])[0]).toBe('Rate');
  });

  test('finds initial letters', () => {
    expect(matchScore('rtt', 'Round-trip time')).not.toBeNull();
  });

  test('finds a title by other words for it, but a match in the title itself counts more', () => {
    const other = matchScore('quic', 'HTTP/3', 'QUIC');
    expect(other).not.toBeNull();
    expect(matchScore('quic', 'QUIC') ?? 0).toBeGreaterThan(other ?? 0);
  });

  test('that is empty matches everything', () => {
    expect(matchScore('', 'Anything')).not.toBeNull();
  });
});
