import {expect, test} from 'vitest';
import {parseScenario} from '../run/scenario/scenario.ts';
import {paneTitle} from './paneTitle.ts';

const PAGE = {name: 'gallery', objects: [], headerBytes: 0, requestBytes: 0};

function titles(panes: readonly object[]): readonly string[] {
  const parsed = parseScenario({panes, seed: 7});
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return panes.map((_, pane) => paneTitle(PAGE, parsed.scenario, pane));
}

test('a title contains page, pane and seed', () => {
  expect(titles([{pipeline: 'tcp'}, {pipeline: 'sctp'}])).toEqual([
    'gallery, TCP classic, seed 7',
    'gallery, SCTP classic, 10 streams, seed 7',
  ]);
});

test('a title contains the conversion of pictures if panes differ in it', () => {
  expect(titles([{pipeline: 'tcp'}, {pipeline: 'sctp', conversion: 'webp'}])).toEqual([
    'gallery, TCP classic, as served, seed 7',
    'gallery, SCTP classic, 10 streams, WebP, seed 7',
  ]);
});

test('a title contains pipelining, TLS or scheduler, each only once, if any two panes differ in it', () => {
  const six = {pipeline: 'tcp', connections: 6, pipelining: false};
  expect(titles([{pipeline: 'tcp'}, six, {pipeline: 'h2'}, {pipeline: 'sctp', scheduler: 'first-come'}])).toEqual([
    'gallery, TCP classic, pipelined, no TLS, seed 7',
    'gallery, TCP classic, 6 connections, one at a time, no TLS, seed 7',
    'gallery, HTTP/2 classic, round-robin, TLS, seed 7',
    'gallery, SCTP classic, 10 streams, no TLS, first-come, seed 7',
  ]);
  expect(titles([{...six, tls: true}, {pipeline: 'h2'}])).toEqual([
    'gallery, TCP classic, 6 connections, seed 7',
    'gallery, HTTP/2 classic, round-robin, seed 7',
  ]);
});
