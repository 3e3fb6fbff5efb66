import {expect, test} from 'vitest';
import {parseGrid} from '../experiment/grid.ts';
import {describePath} from './describe.ts';
import {scenarioDocument} from './document.ts';
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
  // what is not known of it is not said of it
  expect(scenarioDocument(parsed.scenario)['path']).toEqual({live});
  expect(describePath(path)).toBe(`live from ${live}`);
  expect(parseScenario(scenarioDocument(parsed.scenario))).toEqual(parsed);
  expect(changePath(path, {rateBps: {}, rttMs: {}, loss: {}, queuePackets: {}})).toEqual(path);
});

test.each(['', 'host', 'host:0', 'host:65536', 'host:http', '::1:80', 'a b:80', 'http://a:80', 80, null])(
  'path.live is not %j',
  live => {
    expect(problemsOf({path: {live}}).join()).toContain('path.live');
  },
);

test('a live load is not computed', () => {
  const parsed = parseComputed({path: {live: 'a:1'}});
  expect(parsed).toMatchObject({ok: false, problems: [{path: 'path.live', value: 'a:1'}]});
  expect(parseComputed({})).toEqual(parseScenario({}));
  const grid = {base: {path: {live: 'a:1'}}, axes: {'path.rttMs': [1, 2]}, seeds: '1-2'};
  expect(JSON.stringify(parseGrid(grid))).toContain('path.live');
});

test('a live path takes what a live server has', () => {
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
    expect(problemsOf({path, panes: [panes[0], pane]}).join()).toContain(`panes[1].${key}`);
    expect(problemsOf({panes: [panes[0], pane]})).toEqual([]);
  }
  expect(problemsOf({path, changes: [{atMs: 5, path: {rttMs: 5}}]}).join()).toContain('changes');
});
