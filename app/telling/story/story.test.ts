import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {parseScenario} from '../../run/scenario/scenario.ts';
import {anyScenario} from '../../run/scenario/testing/anyScenario.ts';
import {isStoryDocument, parseStory, readStory, type Story} from './story.ts';
import {storyDocument, storyText} from './storyDocument.ts';

const step = {scenario: 'n07-movie', text: 'Look.'};
const story = (...steps: readonly object[]) => ({story: 1, title: 'A lecture', steps});

function problemOf(document: unknown): string {
  const parsed = parseStory(document);
  return parsed.ok ? 'none' : parsed.problems[0].message;
}

function storyOf(document: unknown): Story {
  const parsed = parseStory(document);
  if (!parsed.ok) throw new Error(parsed.problems[0].message);
  return parsed.story;
}

test('a step has its own scenario or that of the previous step, with the changes in its set key', () => {
  const {steps} = storyOf(story(step, {set: {'path.loss': 0}, text: 'b'}, {text: 'c'}, {scenario: 'geo', text: 'd'}));
  const [first, second, third, last] = steps.map(({scenario}) => scenario);
  expect(first?.path.loss.down).toMatchObject({rate: 0.043});
  expect(second).toMatchObject({path: {rttMs: first?.path.rttMs, loss: {down: {rate: 0}, up: {rate: 0}}}});
  expect(third).toBe(second);
  expect(last?.path.rttMs.down).toBe(600);
});

test('braces that hold no name are plain text', () => {
  expect(problemOf(story({...step, text: '{} {1} { rtt } {'}))).toBe('none');
});

test('keys that a step does not have get their default values', () => {
  expect(storyOf(story(step)).steps[0]).toMatchObject({
    notes: '',
    fromS: 0,
    toS: null,
    speed: 1,
    objects: [],
    loss: null,
    view: {timeline: 'percent', axis: 'bytes', layout: 'stacked', zoomS: null, reveal: true},
  });
});

test('reading a written story returns an equal story, for any scenarios in any order', () => {
  const anyStep = fc.record(
    {
      from: fc.integer({min: 0, max: 10}),
      to: fc.option(fc.integer({min: 11, max: 99})),
      speed: fc.constantFrom('auto', 0.25, 1, 20),
      view: fc.record(
        {
          timeline: fc.constantFrom('percent', 'waterfall', 'packets', 'window', 'rtt', 'losses', 'queue'),
          axis: fc.constantFrom('bytes', 'scans', 'visual'),
          layout: fc.constantFrom('stacked', 'overlaid'),
          zoom: fc.constantFrom(null, [1, 2.5]),
          reveal: fc.boolean(),
        },
        {requiredKeys: []},
      ),
      highlight: fc.record(
        {
          objects: fc.constantFrom([], [3], ['/lake.jpg', 0]),
          loss: fc.option(fc.record({pane: fc.constant(1), number: fc.integer({min: 1, max: 99})})),
        },
        {requiredKeys: []},
      ),
    },
    {requiredKeys: []},
  );
  const steps = fc.array(fc.tuple(anyScenario, anyStep), {minLength: 1, maxLength: 3});
  fc.assert(
    fc.property(steps, drawn => {
      fc.pre(drawn.every(([scenario]) => parseScenario(scenario).ok));
      const before = storyOf(
        story(...drawn.map(([scenario, rest]) => ({scenario, ...rest, text: '“ü” 1', notes: 'one\ntwo'}))),
      );
      expect(storyOf(storyDocument(before))).toEqual(before);
      expect(readStory(storyText(before, 'interleave 0.1.0'))).toEqual({ok: true, story: before});
    }),
    {numRuns: 50},
  );
});

test('files number panes from 1', () => {
  const document = story({...step, highlight: {loss: {pane: 2, number: 3}}});
  expect(storyOf(document).steps[0]?.loss).toEqual({pane: 1, number: 3});
  expect(storyDocument(storyOf(document))).toEqual(document);
});

test('a file omits default values and scenarios that equal that of the previous step', () => {
  const [first, second] = storyOf(story(step, {set: {'path.loss': 0}, to: 3, text: 'b'})).steps;
  const document = storyDocument({title: 'A lecture', steps: [first, second, second].flatMap(s => s ?? [])});
  expect(document).toEqual(story(step, {set: {'path.loss': 0}, to: 3, text: 'b'}, {to: 3, text: 'b'}));
});

describe('a problem gives the path, the value and the allowed values', () => {
  test.each<[string, unknown, string]>([
    ['a list instead of an object', [], 'the document is []: must be an object (a story)'],
    ['no steps', {story: 1, title: 'x', steps: []}, 'steps is []: must be a list of 1 to 200 items'],
    ['too many steps', story(...Array.from({length: 201}, () => step)), 'must be a list of 1 to 200 items'],
    ['another version', {...story(step), story: 2}, 'story is 2: must be 1, the version of this format'],
    ['an unknown key', story({...step, txt: ''}), 'steps[0].txt is not a setting of a step; did you mean text?'],
    ['an unknown view', story({...step, view: {timelin: 'x'}}), 'did you mean timeline?'],
    ['an unknown axis', story({...step, view: {axis: 'pixels'}}), 'steps[0].view.axis is "pixels": must be'],
    ['an empty title', {...story(step), title: ' '}, 'title is " ": must be one line of text, 1 to 100'],
    ['a long text', story({...step, text: 'x'.repeat(301)}), 'must be one line of text, 0 to 300 characters'],
    [
      'an unknown number in the text',
      story({...step, text: 'With {los} of loss.'}),
      'steps[0].text is "With {los} of loss.": must be without {los}: the numbers of a text are {loss}, {rtt}, {rate}, ' +
        '{queue}, {mtu}, {think}, {seed}; did you mean {loss}?',
    ],
    [
      'a number that the scenario of the step lacks',
      story(step, {set: {'path.loss': {packets: [3]}}, text: 'With {loss}.'}),
      'steps[1].text is "With {loss}.": must be without {loss}, because the loss of the step is not a share',
    ],
    [
      'long notes',
      story({...step, notes: 'x'.repeat(3001)}),
      'must be a text of up to 3000 characters, with \\n between its lines',
    ],
    [
      'notes with a character that is not shown',
      story({...step, notes: 'a\u202eb'}),
      'steps[0].notes is "a\\u{202e}b": must be a text',
    ],
    ['a text of two lines', story({...step, text: 'a\nb'}), 'must be one line of text'],
    [
      'a text with a character that changes its direction',
      story({...step, text: 'a\u202eb'}),
      'must be one line of text',
    ],
    ['an end before the start', story({...step, from: 7, to: 7}), 'steps[0].to is 7: must be after the start, 7'],
    [
      'a start that is not a number',
      story({...step, from: Number.NaN}),
      'steps[0].from is NaN: must be a number from 0 to 86400',
    ],
    ['a speed of 0', story({...step, speed: 0}), 'steps[0].speed is 0: must be a number from 0.01 to 20'],
    ['a word as speed', story({...step, speed: 'fast'}), 'steps[0].speed is "fast"'],
    [
      'a zoom that ends before its start',
      story({...step, view: {zoom: [3, 2]}}),
      'steps[0].view.zoom[1] is 2: must be after',
    ],
    ['a zoom with one time', story({...step, view: {zoom: [3]}}), 'steps[0].view.zoom is [3]: must be a list of 2'],
    [
      'an object number that is not whole',
      story({...step, highlight: {objects: [0.5]}}),
      'highlight.objects[0] is 0.5',
    ],
    ['a loss without a number', story({...step, highlight: {loss: {pane: 1}}}), 'highlight.loss.number is missing'],
    [
      'a loss with number 0',
      story({...step, highlight: {loss: {pane: 1, number: 0}}}),
      'highlight.loss.number is 0: must be',
    ],
    [
      'a loss of a pane that does not exist',
      story(step, {highlight: {loss: {pane: 3, number: 1}}}),
      'steps[1].highlight.loss.pane is 3: must be a pane of the scenario, 1 to 2',
    ],
    [
      'no first scenario',
      story({text: 'a'}),
      "steps[0].scenario is missing (the first step needs a preset's name or a scenario)",
    ],
    ['an unknown preset', story({...step, scenario: 'n07-move'}), 'steps[0].scenario is "n07-move"'],
    ['an unknown preset, with a suggestion', story({...step, scenario: 'n07-move'}), 'did you mean n07-movie?'],
    [
      'an invalid scenario',
      story(step, {scenario: {path: {loss: 2}}, text: 'b'}),
      'steps[1].scenario: path.loss is 2: must be',
    ],
    ['an unknown setting', story(step, {set: {'path.los': 0}, text: 'b'}), 'steps[1].set: path.los is not'],
    ['a setting out of its range', story({...step, set: {seed: -1}}), 'steps[0].set: seed is -1: must be'],
    [
      'a setting of a pane that does not exist',
      story({...step, set: {'panes[7].streams': 1}}),
      'steps[0].set["panes[7].streams"] is 1: must be a value of a setting that exists',
    ],
    ['settings as a list', story({...step, set: [1]}), 'steps[0].set is [1]: must be an object'],
    [
      'a key of 201 characters',
      story({...step, set: {['x'.repeat(201)]: 1}}),
      'steps[0].set has 1 key, the longest of 201 characters: must have up to 100 keys of up to 200 characters',
    ],
  ])('%s', (_, document, message) => {
    expect(problemOf(document)).toContain(message);
  });

  test('all problems are reported, up to 50', () => {
    const wrong = {...step, from: -1, speed: 0, text: 7};
    const parsed = parseStory(story(wrong, wrong));
    expect(parsed.ok ? [] : parsed.problems.map(({path}) => path)).toEqual(
      [0, 1].flatMap(k => ['from', 'speed', 'text'].map(key => `steps[${k}].${key}`)),
    );
    const many = parseStory(story(...Array.from({length: 200}, () => wrong)));
    expect(many.ok ? 0 : many.problems.length).toBe(50);
  });
});

describe('a file that is not a story has a problem of one line', () => {
  test.each<[string, string | Uint8Array, string]>([
    ['an empty file', new Uint8Array(), 'it contains no story: is empty'],
    ['a binary file', Uint8Array.from([0, 255, 254, 1]), 'it contains no story: not JSON'],
    ['deeply nested JSON', `{"steps":${'['.repeat(100_000)}`, 'it contains no story: nested more than 100 deep'],
    [
      'a file that is too large',
      new Uint8Array(5 * 1024 * 1024).fill(32),
      'it contains no story: has 5242880 bytes (at most 4194304)',
    ],
    ['half a file', '{"story": 1, "title": "a', 'it contains no story: not JSON'],
  ])('%s', (_, file, message) => {
    const read = readStory(file);
    expect(read.ok ? 'none' : read.problems[0].message).toContain(message);
  });
});

test('an invalid story is still distinguished from a scenario', () => {
  expect(isStoryDocument(story())).toBe(true);
  expect(isStoryDocument({steps: 7})).toBe(true);
  expect(isStoryDocument({page: 'gallery'})).toBe(false);
  expect(isStoryDocument(null)).toBe(false);
});

test('a key that every JavaScript object inherits is rejected as unknown', () => {
  expect(problemOf(JSON.parse('{"story":1,"title":"a","steps":[],"__proto__":{}}'))).toContain('__proto__ is not');
  const polluting = story({...step, set: JSON.parse('{"__proto__.x": 1}')});
  expect(problemOf(polluting)).toContain('steps[0].set');
  expect(({} as {x?: number}).x).toBe(undefined);
});
