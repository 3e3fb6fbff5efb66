import {expect, test} from 'vitest';
import type {Json} from '../../../app/base/json.ts';
import {setKey} from '../../../app/run/scenario/override.ts';
import type {PathSettings} from '../../../app/run/scenario/path.ts';
import {parseScenario} from '../../../app/run/scenario/scenario.ts';
import {jitterWays} from './jitterWays.ts';

test('there is one field for the jitter of both directions, or two fields if they differ', () => {
  expect(shown({})).toEqual({Jitter: 0});
  expect(shown({jitter: 5})).toEqual({Jitter: 5});
  expect(shown({jitter: {up: 5}})).toEqual({'Jitter down': 0, 'Jitter up': 5});
  expect(shown({jitter: {down: 5, up: {ms: 5, inOrder: false}}})).toEqual({'Jitter down': 5, 'Jitter up': 5});
});

test('an edit of a field changes the spread of its directions and nothing else', () => {
  const pareto = {ms: 5, distribution: 'pareto', correlation: 0.25, inOrder: false};
  const plain = {ms: 9, distribution: 'uniform', correlation: 0, inOrder: true};
  expect(edited({}, 'Jitter')).toEqual({down: plain, up: plain});
  expect(edited({jitter: pareto}, 'Jitter')).toEqual({down: {...pareto, ms: 9}, up: {...pareto, ms: 9}});
  expect(edited({jitter: {down: pareto}}, 'Jitter up')).toEqual({down: pareto, up: plain});
  expect(edited({jitter: {down: pareto, up: 3}}, 'Jitter down')).toEqual({
    down: {...pareto, ms: 9},
    up: {...plain, ms: 3},
  });
});

/** The fields of a path, each with its value. */
function shown(path: Json): {readonly [label: string]: number} {
  return Object.fromEntries(jitterWays(parsed({path})).map(({label, ms}) => [label, ms]));
}

/** The jitter of a path after the field with this label was set to 9 ms. */
function edited(path: Json, label: string): PathSettings['jitter'] {
  const way = jitterWays(parsed({path})).find(each => each.label === label);
  if (way === undefined) throw new Error(`there is no field ${label}`);
  return parsed(setKey({path}, way.settingKey, 9)).jitter;
}

function parsed(document: Json): PathSettings {
  const answer = parseScenario(document);
  if (!answer.ok) throw new Error(answer.problems[0]?.message);
  return answer.scenario.path;
}
