import fc from 'fast-check';
import {expect, test} from 'vitest';
import type {Json} from '../../base/json.ts';
import {pipelines} from '../../pipelines/index.ts';
import {applyOverride, OverrideError, setKey} from './override.ts';
import {PRESETS} from './presets.ts';
import {parseScenario} from './scenario.ts';

test('sets a nested value in a copy of the document', () => {
  const document = {path: {rttMs: 350}};
  expect(applyOverride(document, 'path.loss.down=0.03')).toEqual({path: {rttMs: 350, loss: {down: 0.03}}});
  expect(document).toEqual({path: {rttMs: 350}});
});

test('splits a value for both directions when one direction is set', () => {
  expect(applyOverride({path: {loss: 0.01}}, 'path.loss.down=0.03')).toEqual({
    path: {loss: {down: 0.03, up: 0.01}},
  });
  const bursts = {p: 0.01, r: 0.5};
  expect(applyOverride({path: {loss: bursts}}, 'path.loss.up=0')).toEqual({
    path: {loss: {down: bursts, up: 0}},
  });
});

test('sets a key of a loss, whatever form the loss has', () => {
  const data = {path: {loss: {rate: 0.01, applies: 'data'}}};
  expect(applyOverride({path: {loss: 0.01}}, 'path.loss.applies=data')).toEqual(data);
  expect(applyOverride(data, 'path.loss.rate=0.5')).toEqual({path: {loss: {rate: 0.5, applies: 'data'}}});
  const apart = {path: {loss: {down: 0.1, up: {p: 0.01, r: 0.5}}}};
  expect(applyOverride(apart, 'path.loss.applies=data')).toEqual({
    path: {loss: {down: {rate: 0.1, applies: 'data'}, up: {p: 0.01, r: 0.5, applies: 'data'}}},
  });
  expect(applyOverride({path: {loss: 0.01}}, 'path.loss.at=exit')).toEqual({
    path: {loss: {rate: 0.01, at: 'exit'}},
  });
  expect(applyOverride({path: {loss: 0.1}}, 'path.loss.up.applies=data')).toEqual({
    path: {loss: {down: 0.1, up: {rate: 0.1, applies: 'data'}}},
  });
});

test('accepts list indices in both notations', () => {
  const document = {panes: [{pipeline: 'tcp'}, {pipeline: 'sctp'}]};
  const expected = {panes: [{pipeline: 'tcp'}, {pipeline: 'sctp', streams: 4}]};
  expect(applyOverride(document, 'panes[1].streams=4')).toEqual(expected);
  expect(applyOverride(document, 'panes.1.streams=4')).toEqual(expected);
});

test('accepts words and JSON as values', () => {
  expect(applyOverride({}, 'page=gallery-png')).toEqual({page: 'gallery-png'});
  expect(applyOverride({}, 'path.loss={"packets": [3]}')).toEqual({path: {loss: {packets: [3]}}});
});

test('removes typicalOf if another setting changes', () => {
  const document = {seed: 37, path: {loss: 0.01}, panes: [{pipeline: 'sctp'}], typicalOf: 200};
  for (const edit of ['seed=5', 'path.loss.down=0', 'panes[0].streams=4', 'changes=[]', 'page=gallery-png']) {
    expect(applyOverride(document, edit), edit).not.toHaveProperty('typicalOf');
  }
  expect(setKey(document, 'path.rttMs', 20)).not.toHaveProperty('typicalOf');
  expect(applyOverride(document, 'seed=37')).toEqual(document);
  expect(applyOverride(document, 'typicalOf=50')).toEqual({...document, typicalOf: 50});
});

test('a new pipeline keeps the settings of a pane that it accepts, except defaults of the old pipeline', () => {
  const tcp = {pipeline: 'tcp', profile: 'modern', connections: 1, pipelining: true, tls: false};
  const other = {pipeline: 'sctp'};
  expect(applyOverride({panes: [tcp, other]}, 'panes[0].pipeline=h3')).toEqual({
    panes: [{pipeline: 'h3', profile: 'modern'}, other],
  });
  const browser = {...tcp, connections: 6, tls: true, conversion: 'webp', odd: 1, toString: 2};
  expect(applyOverride({panes: [browser]}, 'panes.0.pipeline=h2')).toEqual({
    panes: [{pipeline: 'h2', profile: 'modern', tls: true, conversion: 'webp', odd: 1, toString: 2}],
  });
  // A value that the other pipeline does not accept.
  expect(applyOverride({panes: [{...tcp, profile: 'reno'}]}, 'panes.0.pipeline=sctp')).toEqual({
    panes: [other],
  });
  // The same pipeline, and a pipeline that does not exist.
  expect(applyOverride({panes: [browser]}, 'panes.0.pipeline=tcp')).toEqual({panes: [browser]});
  expect(applyOverride({panes: [browser]}, 'panes.0.pipeline=h4')).toEqual({
    panes: [{...browser, pipeline: 'h4'}],
  });
});

test('a pane of a preset can get any pipeline that supports its hand-overs', () => {
  for (const {name, scenario} of PRESETS) {
    const movesClient = JSON.stringify(scenario).includes('"handover":true');
    for (const {name: pipeline, hasHandOver} of pipelines()) {
      if (movesClient && !hasHandOver) continue;
      const wide = applyOverride(scenario as Json, 'path.mtuBytes=1500'); // HTTP/3 needs 1228
      const changed = applyOverride(wide, `panes.0.pipeline=${pipeline}`);
      expect(parseScenario(changed), `${name} ${pipeline}`).toMatchObject({ok: true});
    }
  }
});

test('rejects texts that are no assignments, and list items that do not exist', () => {
  expect(() => applyOverride({}, 'path.loss')).toThrow(OverrideError);
  expect(() => applyOverride({}, `${'a.'.repeat(50_000)}b=1`)).toThrow('the key has 50001 parts (at most 16)');
  expect(() => applyOverride({}, `\u001b${'x'.repeat(1e6)}`)).toThrow(/^--set \\u\{1b\}x{59}…: write KEY=VALUE/);
  expect(() => applyOverride({panes: []}, 'panes[0].streams=1')).toThrow(
    'there is no item 0: the list has 0 items, numbered from 0',
  );
});

test('throws only OverrideError, and parseScenario never throws for the result', () => {
  const assignment = fc.tuple(fc.string(), fc.string()).map(([key, value]) => `${key}=${value}`);
  fc.assert(
    fc.property(assignment, text => {
      try {
        parseScenario(applyOverride({path: {loss: 0.01}, panes: [{pipeline: 'tcp'}]}, text));
      } catch (error) {
        expect(error).toBeInstanceOf(OverrideError);
      }
    }),
    {numRuns: 1000},
  );
});
