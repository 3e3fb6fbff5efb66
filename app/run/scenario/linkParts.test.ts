import {describe, expect, test} from 'vitest';
import type {Json} from '../../base/json.ts';
import {describeChange, describePath} from './describe.ts';
import {scenarioDocument} from './document.ts';
import {applyOverride} from './override.ts';
import {parseScenario, pathAt, type Scenario} from './scenario.ts';

function parsed(path: Json, changes: Json = []): Scenario {
  const answer = parseScenario({path, changes});
  if (!answer.ok) throw new Error(answer.problems[0]?.message);
  return answer.scenario;
}

function problem(path: Json): string {
  const answer = parseScenario({path});
  return answer.ok ? 'accepted' : (answer.problems[0]?.message ?? '');
}

test('a scenario with all parts is written as it is read, and one without any has no keys for them', () => {
  const path = {
    queue: {down: {kind: 'fq_codel', targetMs: 4, flows: 16, ecn: false}, up: {kind: 'dualpi2', ms: 50}},
    jitter: {ms: 5, distribution: 'normal'},
    reorder: {down: {rate: 0.1, gap: 5}},
    duplicate: 0.01,
    policer: {up: {rateBps: 1e6, burstBytes: 20_000}},
  };
  const scenario = parsed(path);
  const written = scenarioDocument(scenario)['path'] as {readonly [key: string]: Json};
  expect(written).toMatchObject(path);
  expect(parsed(written)).toEqual(scenario);
  expect(Object.keys(scenarioDocument(parsed({}))['path'] as object)).toEqual([
    'rateBps',
    'rttMs',
    'loss',
    'queuePackets',
    'mtuBytes',
  ]);
  expect(parsed({jitter: 0, reorder: {rate: 0}, duplicate: null, queue: null, policer: {down: null}})).toEqual(
    parsed({}),
  );
});

describe('the queue', () => {
  test('has the settings of its kind and one limit', () => {
    expect(problem({queue: {kind: 'red'}})).toContain('"droptail" or "codel" or "fq_codel" or "pie" or "dualpi2"');
    expect(problem({queue: {kind: 'pie', flows: 3}})).toContain(
      'path.queue.flows is not a setting of a queue of the kind pie',
    );
    expect(problem({queue: {kind: 'codel', packets: 5, ms: 5}})).toContain('at most one of packets, bytes and ms');
    expect(problem({queue: {kind: 'codel', targetMs: 0}})).toContain('path.queue.targetMs is 0');
    expect(problem({queue: 5})).toContain('an object with a kind');
    expect(problem({queue: {down: {kind: 'pie', packets: 0}}})).toContain('path.queue.down.packets is 0');
  });

  test('has priority over queuePackets, but a later change of queuePackets removes the queue', () => {
    const scenario = parsed({queuePackets: 7, queue: {kind: 'codel'}}, [
      {atMs: 1000, path: {queuePackets: {down: 9}}},
      {atMs: 2000, path: {queue: {up: {kind: 'droptail', ms: 20}}}},
      {atMs: 3000, path: {queue: {up: null}}},
    ]);
    const kinds = (atMs: number): unknown => {
      const {queue, queuePackets} = pathAt(scenario, atMs * 1e6);
      return [queue?.down?.kind ?? queuePackets.down, queue?.up?.kind ?? queuePackets.up];
    };
    expect([0, 1000, 2000, 3000].map(kinds)).toEqual([
      ['codel', 'codel'],
      [9, 'codel'],
      [9, 'droptail'],
      [9, 7],
    ]);
    const document = scenarioDocument(scenario);
    const again = parseScenario(document);
    expect(again.ok && again.scenario).toEqual(scenario);
  });

  test('--set of queuePackets removes the queue of the same direction', () => {
    const set = (document: Json, ...overrides: string[]): Json => overrides.reduce(applyOverride, document);
    const both = {path: {queue: {kind: 'codel'}}};
    expect(set(both, 'path.queuePackets=5')).toEqual({path: {queuePackets: 5}});
    expect(set(both, 'path.queuePackets.up=5')).toEqual({
      path: {queuePackets: {up: 5}, queue: {down: {kind: 'codel'}}},
    });
    expect(set(both, 'path.queuePackets.up=5', 'path.queuePackets.down=6')).toEqual({
      path: {queuePackets: {up: 5, down: 6}},
    });
    expect(set({path: {}}, 'path.queue.kind=pie', 'path.queue.down.ecn=false')).toEqual({
      path: {queue: {down: {kind: 'pie', ecn: false}, up: {kind: 'pie'}}},
    });
    const changing = {changes: [{atMs: 1, path: {queue: {kind: 'codel'}}}]};
    expect(set(changing, 'changes[0].path.queuePackets=5')).toEqual({changes: [{atMs: 1, path: {queuePackets: 5}}]});
  });
});

test('a number is the short form of jitter, reordering and duplication, also for --set', () => {
  expect(parsed({jitter: 5, reorder: 0.1, duplicate: 0.2}).path).toMatchObject({
    jitter: {down: {ms: 5, distribution: 'uniform', correlation: 0, inOrder: true}},
    reorder: {up: {rate: 0.1, correlation: 0, gap: 1}},
    duplicate: {up: {rate: 0.2, correlation: 0}},
  });
  const set = (document: Json, override: string): Json => applyOverride(document, override);
  expect(set({path: {jitter: 5}}, 'path.jitter.inOrder=false')).toEqual({path: {jitter: {ms: 5, inOrder: false}}});
  expect(set({path: {reorder: 0.1}}, 'path.reorder.down.gap=5')).toEqual({
    path: {reorder: {down: {rate: 0.1, gap: 5}, up: 0.1}},
  });
  expect(problem({jitter: -1})).toContain('path.jitter is -1');
  expect(problem({duplicate: 2})).toContain('path.duplicate is 2');
  expect(problem({reorder: {rate: 0.1, gap: 0}})).toContain('path.reorder.gap is 0');
  expect(problem({policer: {rateBps: 5}})).toContain('path.policer.burstBytes is missing');
});

test.each([
  [{queue: {kind: 'fq_codel'}}, 'FQ-CoDel queue'],
  [{queue: {down: {kind: 'codel', packets: 50}}}, 'CoDel queue of 50 packets down'],
  [{queue: {kind: 'droptail', ms: 100}}, 'drop-tail queue of 100 ms'],
  [{jitter: {ms: 5, distribution: 'pareto', inOrder: false}}, 'jitter 5 ms (pareto), out of order'],
  [{reorder: {up: 0.25}}, '25 % of packets overtake others up'],
  [{duplicate: 0.01}, '1 % of packets arrive twice'],
  [{policer: {rateBps: 5e6, burstBytes: 1}}, 'policed to 5 Mbit/s'],
])('the path with %j is described with ‘%s’', (path, text) => {
  expect(describePath(parsed(path).path)).toBe(`1 Mbit/s, RTT 350 ms, no loss, ${text}`);
});

test('a change of a part is described', () => {
  const scenario = parsed({}, [{atMs: 1, path: {queue: {down: {kind: 'pie'}}, jitter: 3}}]);
  expect(describeChange(scenario.path, pathAt(scenario, 1e6))).toBe(
    'queue none → PIE queue down, jitter none → jitter 3 ms',
  );
});
