import {describe, expect, test} from 'vitest';
import {PRESETS} from '../scenario/presets.ts';
import {parseScenario, type Scenario} from '../scenario/scenario.ts';
import {clockOf, headlineOf, onClock} from './clock.ts';

function scenario(document: object): Scenario {
  const parsed = parseScenario(document);
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return parsed.scenario;
}

const clock = (document: object) => clockOf(scenario({discovery: 'complete', ...document}));

describe('the clock of a scenario', () => {
  test('starts at the first request in the presets of the papers, and at navigation in those of today’s paths', () => {
    const clocks = PRESETS.map(({group, scenario: document}) => [group, clockOf(scenario(document))]);
    const of = (wanted: string) => new Set(clocks.flatMap(([group, each]) => (group === wanted ? [each] : [])));
    expect(of('The papers')).toEqual(new Set(['first-request']));
    for (const group of ['Paths of today', 'Today’s web', 'Links that queue and change', 'One picture'])
      expect(of(group), group).toEqual(new Set(['navigation']));
    // these compare QUIC, whose set-up is not that of TCP
    expect(of('A paper’s path, all pipelines')).toContain('navigation');
  });

  test('counts from the first request only if every pane is one of the papers’ transports, without TLS', () => {
    expect(clock({panes: [{pipeline: 'tcp'}, {pipeline: 'sctp'}, {pipeline: 'udp'}, {pipeline: 'catp'}]})).toBe(
      'first-request',
    );
    expect(clock({panes: [{pipeline: 'tcp'}, {pipeline: 'tcp', tls: true}]})).toBe('navigation');
    expect(clock({panes: [{pipeline: 'sctp', tls: true}]})).toBe('navigation');
    expect(clock({panes: [{pipeline: 'tcp'}, {pipeline: 'h2', tls: false}]})).toBe('navigation');
    expect(clock({panes: [{pipeline: 'h3'}]})).toBe('navigation');
  });

  test('counts from navigation if the page is loaded as browsers load it', () => {
    expect(clock({discovery: 'streaming'})).toBe('navigation');
    expect(clockOf(scenario({}))).toBe('navigation');
  });

  test('decides by which metric runs are compared', () => {
    expect(headlineOf(scenario({}))).toMatchObject({metric: 'finishMs', from: 'from navigation'});
    expect(headlineOf(scenario({discovery: 'complete'}))).toMatchObject({
      metric: 'pageTimeMs',
      from: 'from the first request',
    });
  });
});

test('a time since the first request becomes one since navigation, in whole ns', () => {
  const load = {finishMs: 350.3, pageTimeMs: 300.1};
  expect(onClock(100, load, 'first-request')).toBe(100);
  expect(onClock(100, load, 'navigation')).toBe(150.2);
  expect(onClock(300.1, load, 'navigation')).toBe(350.3);
  expect(onClock(null, load, 'navigation')).toBeNull();
  expect(onClock(100, {finishMs: null, pageTimeMs: null}, 'navigation')).toBeNull();
});
