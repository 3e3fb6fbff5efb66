import {expect, test} from 'vitest';
import {parseScenario} from '../../run/scenario/scenario.ts';
import {browserNote} from './browser.ts';

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
  expect(noteOf([{pipeline: 'h3', scheduler: 'scan-aware'}])).toMatch(/; all first scans come first \(a\)$/);
  expect(noteOf([{pipeline: 'tcp'}, {pipeline: 'sctp'}])).toBe('');
});

test('in which order a live server answers is not told', () => {
  const panes = [{pipeline: 'h3'}, {pipeline: 'h2'}];
  expect(noteOf(panes, () => true)).toBe('plain browser: asks for everything at once');
  expect(noteOf(panes, pane => pane === 0)).toMatch(/in turn \(b\)$/);
});
