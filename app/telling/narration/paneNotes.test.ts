import {expect, test} from 'vitest';
import {parseScenario} from '../../run/scenario/scenario.ts';
import {browserNote, isSetUpAlike, modelsText, setUpNotes} from './paneNotes.ts';

const panesOf = (...panes: readonly object[]) => {
  const parsed = parseScenario({panes});
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return parsed.scenario.panes;
};
const [tcp, h2, h3, sctp, udp, catp] = ['tcp', 'h2', 'h3', 'sctp', 'udp', 'catp'].map(pipeline => ({
  pipeline,
}));

test('the note on set-ups says which panes use TLS, and groups panes with equal set-ups', () => {
  const panes = panesOf({...tcp}, {...h2}, {...tcp, connections: 6}, {...h3}, {...sctp});
  expect(setUpNotes(panes, ['a', 'b', 'c', 'd', 'e'])).toEqual([
    'set-up: TCP without TLS (a and c); TCP, then TLS 1.3 (b); QUIC with TLS 1.3 inside (d); SCTP without TLS (e)',
  ]);
  expect(setUpNotes(panesOf({...tcp, tls: true}, {...h3, visit: 'again'}), ['a', 'b'])).toEqual([
    'set-up: TCP, then TLS 1.3 (a); QUIC with TLS 1.3 inside, resumed with 0-RTT (b)',
  ]);
});

test('a note names the panes that are given the path’s rate, and the share of it at which they send', () => {
  expect(setUpNotes(panesOf({...udp}, {...catp}, {...tcp}), ['a', 'b', 'c'])).toEqual([
    'set-up: none (a and b); TCP without TLS (c)',
    "a and b know the path's rate and send at 90 % of it; the others have to find it out",
  ]);
  expect(setUpNotes(panesOf({...catp, abstract: 'tcp', ratePercent: 50}, {...tcp}), ['a', 'b'])).toEqual([
    'set-up: TCP without TLS (a and b)',
    "a knows the path's rate and sends at 50 % of it; the others have to find it out",
  ]);
});

test('the other panes have to find out the path’s rate, if there are other panes', () => {
  const slow = {...catp, ratePercent: 50};
  expect(setUpNotes(panesOf({...udp}, slow), ['a', 'b']).slice(1)).toEqual([
    "a knows the path's rate and sends at 90 % of it; b knows the path's rate and sends at 50 % of it",
  ]);
  expect(setUpNotes(panesOf({...udp}, slow, {...tcp}), ['a', 'b', 'c']).slice(1)).toEqual([
    "a knows the path's rate and sends at 90 % of it; b knows the path's rate and sends at 50 % of it; " +
      'the others have to find it out',
  ]);
});

test('set-ups are alike if all or none have TLS and no server is given the path’s rate', () => {
  expect(isSetUpAlike(panesOf({...tcp}, {...sctp}))).toBe(true);
  expect(isSetUpAlike(panesOf({...h2}, {...h3}))).toBe(true);
  expect(isSetUpAlike(panesOf({...h2}, {...sctp}))).toBe(false);
  expect(isSetUpAlike(panesOf({...udp}, {...catp}))).toBe(false);
});

const noteOf = (
  panes: readonly object[],
  isLive: (pane: number) => boolean = () => false,
  models: object = {},
): string => {
  const parsed = parseScenario({panes, ...models});
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return browserNote(parsed.scenario, {names: ['a', 'b', 'c'], isLive});
};

test('the note on a plain browser covers HTTP/2 and HTTP/3, and says how each scheduler orders responses', () => {
  const panes = [{pipeline: 'h2', scheduler: 'first-come'}, {pipeline: 'tcp'}, {pipeline: 'h3'}];
  expect(noteOf(panes)).toBe(
    'plain browser: requests objects as it finds them; responses come one after the other (a); ' +
      'responses are interleaved in equal shares (c)',
  );
  expect(noteOf([{pipeline: 'h2'}, {pipeline: 'h3'}])).toMatch(/in equal shares \(a and b\)$/);
  expect(noteOf([{pipeline: 'h3', scheduler: 'weighted'}])).toMatch(
    /; responses are interleaved, with larger shares for/,
  );
  expect(noteOf([{pipeline: 'h3', scheduler: 'scan-aware'}])).toMatch(
    /; the first scans of all pictures come first \(a\)$/,
  );
  expect(noteOf([{pipeline: 'tcp'}, {pipeline: 'sctp'}])).toBe('');
});

test('the note does not say in which order a live server responds', () => {
  const panes = [{pipeline: 'h3'}, {pipeline: 'h2'}];
  expect(noteOf(panes, () => true)).toBe('plain browser: requests objects as it finds them');
  expect(noteOf(panes, pane => pane === 0)).toMatch(/in equal shares \(b\)$/);
});

test('the note names the models of browser and server, and which panes they are for if panes differ', () => {
  const models = {browser: 'chromium', server: 'caddy'};
  expect(noteOf([{pipeline: 'tcp'}, {pipeline: 'h2'}, {pipeline: 'sctp'}], () => false, models)).toBe(
    'requests as in Chromium 156; responses as from Caddy 2.6 (b)',
  );
  expect(noteOf([{pipeline: 'tcp', browser: 'plain'}, {pipeline: 'tcp'}, {pipeline: 'h2'}], () => false, models)).toBe(
    'requests as in Chromium 156; responses as from Caddy 2.6 (c)',
  );
  expect(noteOf([{pipeline: 'h2', browser: 'plain', webServer: 'plain'}, {pipeline: 'h2'}], () => false, models)).toBe(
    'plain browser: requests objects as it finds them (a); requests as in Chromium 156 (b); ' +
      'responses are interleaved in equal shares (a); responses as from Caddy 2.6 (b)',
  );
});

test('a header names the browser, and also the server if the server decides the order of responses', () => {
  const [first, second] = panesOf({...h2}, {...tcp});
  if (first === undefined || second === undefined) throw new Error('no panes');
  const models = {browser: 'firefox', server: 'nginx'} as const;
  expect(modelsText(first, models)).toBe('Firefox 153 and nginx 1.22');
  expect(modelsText(second, models)).toBe('Firefox 153');
  expect(modelsText(first, {})).toBe('plain browser: requests objects as it finds them');
  expect(modelsText(second, {})).toBe('');
  expect(modelsText({...first, captured: 'pcap'}, {})).toBe('');
});
