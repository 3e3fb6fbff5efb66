import {expect, test} from 'vitest';
import {paneLabels, paneTitles, titleNames} from '../../pipelines/paneLabels.ts';
import {describePath} from './describe.ts';
import {scenarioDocument} from './document.ts';
import {parseComputed, parseLoadable, parseScenario, type Scenario, withoutCapture} from './scenario.ts';

function parsed(document: object): Scenario {
  const result = parseScenario(document);
  if (!result.ok) throw new Error(result.problems[0]?.message);
  return result.scenario;
}

function problem(document: object, parse = parseScenario): string | undefined {
  const result = parse(document);
  return result.ok ? undefined : result.problems[0]?.message;
}

const CAPTURED = {path: {captured: 'pcap'}, panes: [{pipeline: 'h2'}]};

test('a captured path has no other settings, and its document reads back', () => {
  const scenario = parsed(CAPTURED);
  expect(scenario.path).toMatchObject({captured: 'pcap', seenAt: 'client'});
  expect(scenarioDocument(scenario)['path']).toEqual({captured: 'pcap', seenAt: 'client'});
  expect(parsed(scenarioDocument(scenario))).toEqual(scenario);
  expect(parsed({...CAPTURED, path: {captured: 'qlog', seenAt: 'server'}}).path.seenAt).toBe('server');
  expect(describePath(scenario.path)).toBe('the path of the recording (pcap)');
});

test('the panes of a captured path are marked as captured, and documents do not repeat the mark', () => {
  const scenario = parsed(CAPTURED);
  expect(scenario.panes[0]?.captured).toBe('pcap');
  expect(JSON.stringify(scenarioDocument(scenario)['panes'])).not.toContain('captured');
  expect(parsed({panes: [{pipeline: 'h2'}]}).panes[0]?.captured).toBeUndefined();
});

test('a captured pane has no settings in its names, even beside panes whose names contain settings', () => {
  const captured = parsed({...CAPTURED, panes: [{pipeline: 'h2', tls: false}]});
  const panes = [...captured.panes, ...parsed({panes: [{pipeline: 'h2'}, {pipeline: 'h3'}]}).panes];
  expect(paneLabels(panes)[0]).toBe('HTTP/2, captured (pcap)');
  expect(paneTitles(panes)[0]).toBe('HTTP/2, captured (pcap)');
  expect(titleNames(panes)).toEqual(['HTTP/2 captured (pcap)', 'HTTP/2 round-robin', 'HTTP/3']);
  // a captured pane makes no difference of settings
  expect(paneLabels(panes)[1]).toBe('HTTP/2 classic, round-robin');
});

test('path.captured is a known format and excludes path.live, and path.seenAt needs path.captured', () => {
  expect(problem({path: {captured: 'tape'}})).toMatch(
    /path\.captured is "tape": must be "pcap" or "qlog" or "netlog" or "har"/,
  );
  expect(problem({path: {captured: 'har', live: '127.0.0.1:1'}})).toMatch(
    /path\.live .* absent if the path is captured/,
  );
  expect(problem({path: {seenAt: 'client'}})).toMatch(/path\.seenAt .* absent unless the path is captured/);
});

test('a captured run cannot be loaded', () => {
  expect(problem(CAPTURED, parseComputed)).toMatch(/path\.captured is "pcap": must be absent here/);
  expect(problem(CAPTURED, parseLoadable)).toMatch(/path\.captured is "pcap": must be absent here/);
  expect(problem({path: {live: '127.0.0.1:1'}, panes: [{pipeline: 'tcp'}]}, parseLoadable)).toBeUndefined();
});

test('a captured run without its path can be computed over the same pipelines', () => {
  expect(withoutCapture(parsed(CAPTURED))).toEqual(parsed({panes: CAPTURED.panes}));
});
