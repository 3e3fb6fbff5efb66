import {describe, expect, test} from 'vitest';
import type {Json} from '../../base/json.ts';
import {scenarioDocument} from '../../run/scenario/document.ts';
import {setKey} from '../../run/scenario/override.ts';
import {parseScenario, type Scenario} from '../../run/scenario/scenario.ts';
import {movedNumber, plainText, STORY_NUMBERS, type StoryNumberName, textParts, textProblem} from './storyNumbers.ts';

function scenarioOf(document: Json): Scenario {
  const parsed = parseScenario(document);
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return parsed.scenario;
}

const scenario = scenarioOf({
  path: {rateBps: 56_000, rttMs: 1080, loss: 0.043, queuePackets: 1},
  serverThinkMs: 20,
  seed: 173,
  panes: [{pipeline: 'tcp'}],
});

test('the plain text of a step has the numbers of the scenario with their units', () => {
  const text = 'At {rate} and {rtt}, {loss} of {queue} of {mtu}; {think}, seed {seed}.';
  expect(plainText({text, scenario})).toBe(
    'At 56 kbit/s and 1080 ms, 4.3 % of 1 packet of 1500 bytes; 20 ms, seed 173.',
  );
  expect(textParts('{rtt}{rtt} later')).toMatchObject([{name: 'rtt'}, {name: 'rtt'}, ' later']);
});

test.each(Object.keys(STORY_NUMBERS) as StoryNumberName[])('the key of {%s} sets the number that is shown', name => {
  const {keyOf, read} = STORY_NUMBERS[name];
  const ways = [
    scenario,
    scenarioOf({path: {rateBps: {down: 1e6, up: 5e5}, rttMs: {down: 40, up: 60}, loss: {down: 0.02, up: 0}}}),
    scenarioOf({path: {loss: {rate: 0.01, applies: 'data'}}}),
  ];
  for (const each of ways) {
    const value = Number(read(each));
    const changed = scenarioOf(setKey(scenarioDocument(each), keyOf(each), name === 'loss' ? 0.3 : value + 1));
    expect(read(changed)).toBe(name === 'loss' ? 0.3 : value + 1);
    // nothing else changes, not even the other direction if it differs
    const back = scenarioOf(setKey(scenarioDocument(changed), keyOf(changed), value));
    expect({...scenarioDocument(back), typicalOf: null}).toEqual({...scenarioDocument(each), typicalOf: null});
  }
});

test('a live path has no {rtt} and no {loss}, and burst loss has no {loss}', () => {
  const live = scenarioOf({path: {live: '127.0.0.1:1'}, panes: [{pipeline: 'tcp'}]});
  for (const name of ['rtt', 'loss'])
    expect(textProblem(`{${name}}`, live)?.limit).toBe(`without {${name}}, because the path is live or captured`);
  const bursts = scenarioOf({path: {loss: {p: 0.01, r: 0.25, h: 0, k: 1}}});
  expect(textProblem('{rtt} {loss}', bursts)?.limit).toContain('without {loss}, because the loss of the step');
});

describe('a number moves', () => {
  const {loss, rtt, rate, seed} = STORY_NUMBERS;
  test.each([
    [loss, 0.043, 3, 0.046],
    [loss, 0.001, -5, 0],
    [rtt, 350, 1, 360],
    [rtt, 354, 1, 360],
    [rtt, 100, -1, 99],
    [rtt, 99, 1, 100],
    [rtt, 100, 1, 110],
    [rtt, 3, -9, 1],
    [rate, 1_000_000, 1, 1_100_000],
    [rate, 1_000_000, -1, 990_000],
    [rate, 9e8, 999, 1e9],
    [seed, 173, -2, 171],
  ])('%# in steps that people read easily, within its usual range', (number, from, notches, to) => {
    expect(movedNumber(number, from, notches)).toBe(to);
  });
  test('from outside the range only towards the range', () => {
    expect(movedNumber(rtt, 7_200_000, 5)).toBe(7_200_000);
    expect(movedNumber(rtt, 7_200_000, -1)).toBe(7_100_000);
  });
});
