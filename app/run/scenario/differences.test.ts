import fc from 'fast-check';
import {expect, test} from 'vitest';
import type {Json} from '../../base/json.ts';
import {differences} from './differences.ts';
import {scenarioDocument} from './document.ts';
import {setKey} from './override.ts';
import {parseScenario, type Scenario} from './scenario.ts';
import {anyScenario} from './testing/anyScenario.ts';

function scenarioOf(document: Json): Scenario {
  const parsed = parseScenario(document);
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return parsed.scenario;
}

function applied(from: Scenario, to: Scenario): Scenario {
  const document = differences(from, to).reduce<Json>(
    (changed, [key, json]) => setKey(changed, key, JSON.parse(json) as Json),
    scenarioDocument(from),
  );
  return scenarioOf(document);
}

test('the differences of any two scenarios turn the first one into the second one', () => {
  fc.assert(
    fc.property(anyScenario, anyScenario, (one, other) => {
      fc.pre(parseScenario(one).ok && parseScenario(other).ok);
      const [from, to] = [scenarioOf(one), scenarioOf(other)];
      expect(applied(from, to)).toEqual(to);
    }),
  );
});

test('a queue that both scenarios have stays, although setting queuePackets removes a queue', () => {
  const queue = {down: {kind: 'codel'}};
  const [from, to] = [scenarioOf({path: {queue, queuePackets: 10}}), scenarioOf({path: {queue, queuePackets: 20}})];
  expect(applied(from, to)).toEqual(to);
  expect(applied(to, from)).toEqual(from);
});

const PARTS = {jitter: 5, reorder: {down: 0.1}, duplicate: {up: 0.2}};

test.each<[string, Json]>([
  ['traces', {down: {trace: 'lte-driving'}}],
  ['other traffic', {traffic: [{kind: 'tcp', direction: 'up', endMs: 4000}]}],
  ['panes at once', {atOnce: true}],
  ['a queue and its limit', {queue: {down: {kind: 'codel', ms: 50}}, queuePackets: 10}],
  ['jitter, reordering, copies and a policer', {...PARTS, policer: {rateBps: 1e6, burstBytes: 3000}}],
  ['a live server', {live: 'localhost:8090'}],
  ['a live server and panes at once', {live: 'localhost:8090', atOnce: true}],
])('the differences remove %s from the path', (_, path) => {
  const [from, to] = [scenarioOf({path: path as Json}), scenarioOf({})];
  expect(applied(from, to)).toEqual(to);
  expect(applied(to, from)).toEqual(from);
});
