import {expect, test} from 'vitest';
import {pipelineOf} from '../../pipelines/index.ts';
import {paneLabels} from '../../pipelines/paneLabels.ts';
import {parseGrid} from '../../study/experiment/grid.ts';
import {describePath} from './describe.ts';
import {scenarioDocument} from './document.ts';
import {livePathOf, usesKernelTcp} from './livePath.ts';
import {overPipeline} from './pane.ts';
import {changePath} from './path.ts';
import {parseComputed, parseScenario} from './scenario.ts';

function problemsOf(document: unknown): readonly string[] {
  const parsed = parseScenario(document);
  return parsed.ok ? [] : parsed.problems.map(({message}) => message);
}

test.each(['127.0.0.1:9899', '[::1]:80', 'host.example:65535'])('path.live may be %s', live => {
  const parsed = parseScenario({path: {live}});
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const {path} = parsed.scenario;
  expect(path.live).toBe(live);
  // The unknown settings of the real path are not described.
  expect(scenarioDocument(parsed.scenario)['path']).toEqual({live});
  expect(describePath(path)).toBe(`live from ${live}`);
  expect(parseScenario(scenarioDocument(parsed.scenario))).toEqual(parsed);
  expect(changePath(path, {rateBps: {}, rttMs: {}, loss: {}, queuePackets: {}})).toEqual(path);
});

test.each(['', 'host', 'host:0', 'host:65536', 'host:http', '::1:80', 'a b:80', 'http://a:80', 80, null])(
  'path.live may not be %j',
  live => {
    const problem = problemsOf({path: {live}}).join();
    expect(problem).toContain('path.live');
    expect(problem).toContain('a port of 1 to 65535');
  },
);

test('parseComputed rejects a live path', () => {
  const parsed = parseComputed({path: {live: 'a:1'}});
  expect(parsed).toMatchObject({ok: false, problems: [{path: 'path.live', value: 'a:1'}]});
  expect(parseComputed({})).toEqual(parseScenario({}));
  const grid = {base: {path: {live: 'a:1'}}, axes: {'path.rttMs': [1, 2]}, seeds: '1-2'};
  expect(JSON.stringify(parseGrid(grid))).toContain('path.live');
});

test('a live path accepts only settings that live servers support', () => {
  const path = {live: '127.0.0.1:80'};
  const panes = [
    {pipeline: 'tcp', connections: 6},
    {pipeline: 'sctp', streams: 3, scheduler: 'first-come'},
  ];
  expect(problemsOf({path, panes})).toEqual([]);
  for (const [pane, key] of [
    [{pipeline: 'tcp', tls: true}, 'tls'],
    [{pipeline: 'h2'}, 'pipeline'],
    [{pipeline: 'sctp', server: 'interleaving'}, 'server'],
    [{pipeline: 'sctp', scheduler: 'weighted'}, 'scheduler'],
    [{pipeline: 'sctp', conversion: 'webp'}, 'conversion'],
  ] as const) {
    const value = new Map<string, unknown>(Object.entries(pane)).get(key);
    const limit = 'a setting that is supported on a live path: tcp without tls';
    expect(problemsOf({path, panes: [panes[0], pane]}).join()).toContain(
      `panes[1].${key} is ${JSON.stringify(value)}: must be ${limit}`,
    );
    expect(problemsOf({panes: [panes[0], pane]})).toEqual([]);
  }
  expect(problemsOf({path, changes: [{atMs: 5, path: {rttMs: 5}}]}).join()).toContain('changes');
});

test('a live path has no panes that drop packets of their own', () => {
  const path = {live: '127.0.0.1:80'};
  const panes = [{pipeline: 'tcp'}, {pipeline: 'sctp', drop: {packets: [3]}}];
  expect(problemsOf({panes})).toEqual([]);
  expect(problemsOf({path, panes})).toEqual([
    'panes[1].drop is {"down":{"packets":[3]},"up":{"packets":[3]}}: must be absent on a live path, because the real network decides which packets are lost',
  ]);
});

test('atOnce may be set on any path, and is false by default', () => {
  const live = '127.0.0.1:80';
  const parsed = parseScenario({path: {live, atOnce: true}});
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  expect(scenarioDocument(parsed.scenario)['path']).toEqual({live, atOnce: true});
  expect(parseScenario(scenarioDocument(parsed.scenario))).toEqual(parsed);
  expect(parseScenario({path: {live, atOnce: false}})).toEqual(parseScenario({path: {live}}));
  const emulated = parseScenario({path: {atOnce: true}});
  expect(emulated.ok && scenarioDocument(emulated.scenario)['path']).toMatchObject({atOnce: true});
  expect(emulated.ok && parseScenario(scenarioDocument(emulated.scenario))).toEqual(emulated);
  expect(problemsOf({path: {live, atOnce: 1}}).join()).toContain('path.atOnce');
});

test('a pane of a live scenario may have a path of its own', () => {
  const own = {pipeline: 'tcp', path: {live: '[::1]:81'}};
  const parsed = parseScenario({path: {live: 'a:80'}, panes: [own, {pipeline: 'tcp'}]});
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const {scenario} = parsed;
  expect(scenario.panes.map(pane => livePathOf(scenario, pane)?.live)).toEqual(['[::1]:81', 'a:80']);
  expect(paneLabels(scenario.panes)).toEqual(['TCP classic, from [::1]:81', 'TCP classic']);
  expect(parseScenario(scenarioDocument(scenario))).toEqual(parsed);
  const [pane = scenario.panes[1]] = scenario.panes;
  expect(pane && overPipeline(pane, 'sctp', undefined).path).toEqual(own.path);
  expect(problemsOf({panes: [own]}).join()).toContain('panes[0].path');
  for (const path of [{}, {live: 'a'}, {live: 'a:80', atOnce: true}, {live: 'a:80', rttMs: 5}, null])
    expect(problemsOf({path: {live: 'a:80'}, panes: [{...own, path}]}).join()).toContain('panes[0].path');
});

test('the TCP of a live path is the kernel’s by default, and the simulator’s with tcp: udp', () => {
  const live = 'a:80';
  const parsed = parseScenario({path: {live, tcp: 'udp'}});
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const {scenario} = parsed;
  expect(scenarioDocument(scenario)['path']).toEqual({live, tcp: 'udp'});
  expect(parseScenario(scenarioDocument(scenario))).toEqual(parsed);
  expect(describePath(scenario.path)).toBe('live from a:80, TCP in UDP');
  const same = {rateBps: {}, rttMs: {}, loss: {}, queuePackets: {}};
  expect(changePath(scenario.path, same)).toEqual(scenario.path);
  expect(parseScenario({path: {live, tcp: 'kernel'}})).toEqual(parseScenario({path: {live}}));
  expect(problemsOf({path: {live, tcp: 'sctp'}}).join()).toContain('path.tcp');
  expect(problemsOf({path: {tcp: 'udp'}}).join()).toContain('path.tcp');
});

test('a pane’s own path may choose the TCP implementation, which decides whether packets can be observed', () => {
  const live = 'a:80';
  const own = {pipeline: 'tcp', path: {live, tcp: 'udp'}};
  const parsed = parseScenario({path: {live}, panes: [own, {...own, path: {live}}, {pipeline: 'sctp'}]});
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const {scenario} = parsed;
  expect(parseScenario(scenarioDocument(scenario))).toEqual(parsed);
  expect(paneLabels(scenario.panes).slice(0, 2)).toEqual([
    'TCP classic, from a:80, TCP in UDP',
    "TCP classic, from a:80, the kernel's TCP",
  ]);
  const sctp = parseScenario({path: {live}, panes: [own, {pipeline: 'sctp', path: {live: 'b:80'}}]});
  expect(sctp.ok && paneLabels(sctp.scenario.panes)).toEqual([
    'TCP classic, from a:80, TCP in UDP',
    'SCTP classic, 10 streams, from b:80',
  ]);
  const sees = scenario.panes.map(pane =>
    pipelineOf(pane.pipeline).live?.seesPackets(livePathOf(scenario, pane) ?? {live}),
  );
  expect(sees).toEqual([true, false, true]);
  expect(problemsOf({path: {live}, panes: [{...own, path: {live, tcp: 1}}]}).join()).toContain('panes[0].path.tcp');
});

test('a live h3 pane needs the fingerprint of its server’s certificate', () => {
  const live = 'a:80';
  const digits = 'AB'.repeat(32);
  const panes = [{pipeline: 'h3'}];
  const parsed = parseScenario({path: {live, fingerprint: digits.match(/../g)?.join(':')}, panes});
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const {scenario} = parsed;
  expect(scenarioDocument(scenario)['path']).toEqual({live, fingerprint: digits.toLowerCase()});
  expect(parseScenario(scenarioDocument(scenario))).toEqual(parsed);
  const without = problemsOf({path: {live}, panes}).join();
  expect(without).toContain('path.fingerprint is missing');
  expect(without).toContain('interleave serve prints a new one');
  const own = [{pipeline: 'h3', path: {live}}];
  expect(problemsOf({path: {live, fingerprint: digits}, panes: own}).join()).toContain('panes[0].path.fingerprint');
  expect(problemsOf({path: {live}, panes: [{pipeline: 'h3', path: {live, fingerprint: digits}}]})).toEqual([]);
  for (const fingerprint of ['', 'ab', `${digits}0`, 'x'.repeat(64), 7])
    expect(problemsOf({path: {live, fingerprint}, panes}).join()).toContain('path.fingerprint');
  expect(problemsOf({path: {fingerprint: digits}}).join()).toContain('path.fingerprint');
});

test('a setting that no live h3 server supports is refused', () => {
  const path = {live: 'a:80', fingerprint: 'ab'.repeat(32)};
  for (const [pane, key] of [
    [{visit: 'again'}, 'visit'],
    [{scheduler: 'weighted'}, 'scheduler'],
    [{scheduler: 'scan-aware'}, 'scheduler'],
  ] as const)
    expect(problemsOf({path, panes: [{pipeline: 'h3', ...pane}]}).join()).toContain(`panes[0].${key}`);
});

test('a TCP pane without tcp: udp loads over the kernel’s TCP', () => {
  const asks = (path: object, ...panes: object[]): boolean => {
    const parsed = parseScenario({path: {live: 'a:1', ...path}, panes});
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
    return usesKernelTcp(parsed.scenario, 'a:1');
  };
  const [tcp, sctp] = [{pipeline: 'tcp'}, {pipeline: 'sctp'}];
  expect([asks({}, tcp, sctp), asks({}, sctp), asks({tcp: 'udp'}, tcp, sctp)]).toEqual([true, false, false]);
  // A pane's own path decides how it loads.
  expect(asks({}, {...tcp, path: {live: 'b:1'}}, sctp)).toBe(false);
  expect(asks({tcp: 'udp'}, {...tcp, path: {live: 'a:1'}}, sctp)).toBe(true);
});
