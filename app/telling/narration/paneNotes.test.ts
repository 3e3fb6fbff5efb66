import {expect, test} from 'vitest';
import {parseScenario} from '../../run/scenario/scenario.ts';
import {browserNote, isSetUpAlike, setUpNotes} from './paneNotes.ts';

const panesOf = (...panes: readonly object[]) => {
  const parsed = parseScenario({panes});
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return parsed.scenario.panes;
};
const [tcp, h2, h3, sctp, udp, catp] = ['tcp', 'h2', 'h3', 'sctp', 'udp', 'catp'].map(pipeline => ({
  pipeline,
}));

test('who has TLS in its set-up is told, those that are alike together', () => {
  const panes = panesOf({...tcp}, {...h2}, {...tcp, connections: 6}, {...h3}, {...sctp});
  expect(setUpNotes(panes, ['a', 'b', 'c', 'd', 'e'])).toEqual([
    'set-up: TCP without TLS (a and c); TCP, then TLS 1.3 (b); QUIC with TLS 1.3 inside (d); SCTP without TLS (e)',
  ]);
  expect(setUpNotes(panesOf({...tcp, tls: true}, {...h3, zeroRtt: true}), ['a', 'b'])).toEqual([
    'set-up: TCP, then TLS 1.3 (a); QUIC with TLS 1.3 inside, 0-RTT (b)',
  ]);
});

test('whoever is told the rate of the path is named, with what it makes of it', () => {
  expect(setUpNotes(panesOf({...udp}, {...catp}, {...tcp}), ['a', 'b', 'c'])).toEqual([
    'set-up: none (a and b); TCP without TLS (c)',
    "a and b know the path's rate and send at 90 % of it; the others have to find it out",
  ]);
  expect(setUpNotes(panesOf({...catp, abstract: 'tcp', ratePercent: 50}, {...tcp}), ['a', 'b'])).toEqual([
    'set-up: TCP without TLS (a and b)',
    "a knows the path's rate and sends at 50 % of it; the others have to find it out",
  ]);
});

test('set-ups are alike with TLS everywhere or nowhere, where nobody is told the rate', () => {
  expect(isSetUpAlike(panesOf({...tcp}, {...sctp}))).toBe(true);
  expect(isSetUpAlike(panesOf({...h2}, {...h3}))).toBe(true);
  expect(isSetUpAlike(panesOf({...h2}, {...sctp}))).toBe(false);
  expect(isSetUpAlike(panesOf({...udp}, {...catp}))).toBe(false);
});

const noteOf = (panes: readonly object[], isLive: (pane: number) => boolean = () => false): string => {
  const parsed = parseScenario({panes});
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return browserNote(parsed.scenario.panes, {names: ['a', 'b', 'c'], isLive});
};

test('how a plain browser asks is told of HTTP/2 and HTTP/3, with what each scheduler makes of it', () => {
  const panes = [{pipeline: 'h2', scheduler: 'first-come'}, {pipeline: 'tcp'}, {pipeline: 'h3'}];
  expect(noteOf(panes)).toBe(
    'plain browser: asks for everything at once; responses come one after the other (a); ' +
      'responses come together, a piece of each in turn (c)',
  );
  expect(noteOf([{pipeline: 'h2'}, {pipeline: 'h3'}])).toMatch(/in turn \(a and b\)$/);
  expect(noteOf([{pipeline: 'h3', scheduler: 'weighted'}])).toMatch(/; responses come together, more of the/);
  expect(noteOf([{pipeline: 'h3', scheduler: 'scan-aware'}])).toMatch(
    /; the first scans of all pictures come first \(a\)$/,
  );
  expect(noteOf([{pipeline: 'tcp'}, {pipeline: 'sctp'}])).toBe('');
});

test('in which order a live server answers is not told', () => {
  const panes = [{pipeline: 'h3'}, {pipeline: 'h2'}];
  expect(noteOf(panes, () => true)).toBe('plain browser: asks for everything at once');
  expect(noteOf(panes, pane => pane === 0)).toMatch(/in turn \(b\)$/);
});
