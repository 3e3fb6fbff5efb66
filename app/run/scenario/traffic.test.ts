import {expect, test} from 'vitest';
import type {Json} from '../../base/json.ts';
import {scenarioDocument} from './document.ts';
import {applyOverride} from './override.ts';
import {parseScenario} from './scenario.ts';

function parsed(traffic: Json, path: {readonly [key: string]: Json} = {}) {
  return parseScenario({path: {...path, traffic}});
}

function trafficOf(traffic: Json) {
  const result = parsed(traffic);
  if (!result.ok) throw new Error(result.problems[0]?.message);
  return result.scenario.path.traffic;
}

function problemOf(traffic: Json, path: {readonly [key: string]: Json} = {}) {
  const result = parsed(traffic, path);
  return result.ok ? undefined : result.problems[0]?.message;
}

test('TCP traffic is by default one connection from the start of the run to its end', () => {
  expect(trafficOf([{kind: 'tcp', direction: 'up'}])).toEqual([
    {kind: 'tcp', direction: 'up', startMs: 0, endMs: null, congestion: 'cubic', flows: 1},
  ]);
});

test('traffic at a constant rate has packets of 1200 bytes unless the scenario says otherwise', () => {
  expect(trafficOf([{kind: 'cbr', direction: 'down', rateBps: 2e6, startMs: -100, endMs: 5000}])).toEqual([
    {kind: 'cbr', direction: 'down', rateBps: 2e6, packetBytes: 1200, startMs: -100, endMs: 5000},
  ]);
});

test('a document has the traffic only if there is some, and is read as the same scenario', () => {
  const none = parsed([]);
  expect(none).toEqual(parseScenario({}));
  expect(none.ok && scenarioDocument(none.scenario)['path']).not.toHaveProperty('traffic');
  const some = parsed([{kind: 'tcp', direction: 'up', flows: 3, congestion: 'reno'}]);
  expect(some.ok && parseScenario(scenarioDocument(some.scenario))).toEqual(some);
});

test('the message about invalid traffic names the setting and its limit', () => {
  const tcp = {kind: 'tcp', direction: 'up'};
  const cbr = {kind: 'cbr', direction: 'up', rateBps: 1e6};
  for (const [traffic, message] of [
    [{}, /^path\.traffic is \{\}: must be a list/],
    [[{direction: 'up'}], /^path\.traffic\[0\]\.kind is missing/],
    [[{kind: 'udp', direction: 'up'}], /^path\.traffic\[0\]\.kind is "udp": must be "tcp" or "cbr"/],
    [[{kind: 'tcp'}], /^path\.traffic\[0\]\.direction is missing/],
    [[{...tcp, rateBps: 1}], /^path\.traffic\[0\]\.rateBps is not a setting of/],
    [[{...tcp, flows: 33}], /^path\.traffic\[0\]\.flows is 33: must be a whole number from 1 to 32/],
    [[{...tcp, congestion: 'none'}], /^path\.traffic\[0\]\.congestion is "none": must be "reno" or "cubic" or /],
    [[{...tcp, startMs: -60_001}], /^path\.traffic\[0\]\.startMs is -60001/],
    [[{...tcp, startMs: 5, endMs: 5}], /^path\.traffic\[0\]\.endMs is 5: must be more than startMs, 5/],
    [[cbr, {...cbr, packetBytes: 27}], /^path\.traffic\[1\]\.packetBytes is 27/],
    [
      [{...cbr, rateBps: 1e9, packetBytes: 100}],
      /^path\.traffic\[0\]\.rateBps is 1000000000: must be at most 800000000/,
    ],
    [Array(9).fill(tcp), /^path\.traffic/],
  ] as const) {
    expect(problemOf(traffic as Json)).toMatch(message);
  }
});

test('a packet of constant-rate traffic must not be larger than the MTU of the path', () => {
  const cbr = [{kind: 'cbr', direction: 'up', rateBps: 1e6, packetBytes: 1400}];
  expect(problemOf(cbr, {mtuBytes: 1400})).toBeUndefined();
  expect(problemOf(cbr, {mtuBytes: 1399})).toBe(
    'path.traffic[0].packetBytes is 1400: must be at most path.mtuBytes, 1399',
  );
});

test('the traffic cannot change during the run, because each item has its own times', () => {
  const change = {atMs: 100, path: {traffic: []}};
  const result = parseScenario({changes: [change]});
  expect(result.ok ? undefined : result.problems[0]?.message).toMatch(
    /^changes\[0\]\.path\.traffic is not a setting of/,
  );
});

test('--set reaches a setting of an item', () => {
  const document = {path: {traffic: [{kind: 'tcp', direction: 'up'}]}};
  expect(applyOverride(document, 'path.traffic[0].direction=down')).toEqual({
    path: {traffic: [{kind: 'tcp', direction: 'down'}]},
  });
});

test('traffic may begin before the run only if the traces of the path are repeated', () => {
  const early = [{kind: 'tcp', direction: 'up', startMs: -1}];
  const trace = (repeats: boolean) => ({trace: {name: 'lte-driving', repeats}});
  expect(problemOf(early, {down: trace(true)})).toBeUndefined();
  const message = 'path.traffic[0].startMs is -1: must be at least 0, because a trace of the path is not repeated';
  expect(problemOf(early, {down: trace(false)})).toBe(message);
  expect(problemOf([{...early[0], startMs: 0}], {down: trace(false)})).toBeUndefined();
  const changed = parseScenario({path: {traffic: early}, changes: [{atMs: 5, path: {up: trace(false)}}]});
  expect(changed.ok ? undefined : changed.problems[0]?.message).toBe(message);
});
