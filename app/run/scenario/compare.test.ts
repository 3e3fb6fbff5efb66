import {describe, expect, test} from 'vitest';
import {
  COMPARE_PATHS,
  COMPARED_TRANSPORTS,
  compareDocument,
  FIRST_COMPARISON,
  readComparison,
  wrongNumber,
} from './compare.ts';
import {scenarioDocument} from './document.ts';
import {findPreset} from './presets.ts';
import {parseScenario} from './scenario.ts';

const all = COMPARED_TRANSPORTS.map(({name}) => name);

function parsed(document: unknown) {
  const result = parseScenario(document);
  if (!result.ok) throw new Error(result.problems[0]?.message);
  return scenarioDocument(result.scenario);
}

test('the first comparison has the transports and the path of today’s web on a bad Wi-Fi', () => {
  const pipelinesOf = ({panes}: ReturnType<typeof parsed>) =>
    (panes as {pipeline: string}[]).map(({pipeline}) => pipeline);
  const [own, preset] = [parsed(compareDocument(FIRST_COMPARISON)), parsed(findPreset('web-wifi-bad')?.scenario)];
  expect(own['path']).toEqual(preset['path']);
  expect(pipelinesOf(own)).toEqual(pipelinesOf(preset));
});

test.each(COMPARE_PATHS)('all transports can be compared on $preset, whose path and page they get', ({preset}) => {
  const {page, path, panes} = parsed(compareDocument({path: preset, transports: all}));
  const own = parsed(findPreset(preset)?.scenario);
  expect({page, path}).toEqual({page: own['page'], path: own['path']});
  expect(panes).toHaveLength(all.length);
});

test('panes have the order of the list, and the page of the user stays', () => {
  const {panes, page} = compareDocument({path: 'lte', transports: ['sctp', 'h2']}, 'gallery');
  expect((panes as {pipeline: string}[]).map(({pipeline}) => pipeline)).toEqual(['h2', 'sctp']);
  expect(page).toBe('gallery');
});

test('one transport cannot be compared', () => {
  expect(wrongNumber({transports: ['h2']})).toBe('Choose 2 to 6 transports (1 is chosen)');
  expect(wrongNumber({transports: []})).toBe('Choose 2 to 6 transports (0 are chosen)');
  expect(wrongNumber({transports: all})).toBeNull();
});

describe('a remembered comparison', () => {
  test('is read again', () => {
    const comparison = {path: 'geo', transports: ['h1', 'catp']};
    expect(readComparison(comparison)).toEqual(comparison);
  });
  test.each([undefined, null, 7, {}, {path: 'gone', transports: ['h9', 'h2']}, {transports: 'h2'}])(
    'of unknown values such as %j is read as the first comparison',
    value => expect(readComparison(value)).toEqual(FIRST_COMPARISON),
  );
});
