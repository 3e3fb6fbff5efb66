import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {Json} from '../../app/base/json.ts';
import type {Trace} from '../../app/run/trace/trace.ts';
import {traces} from '../workers/testing/runs.ts';

// These tests load from servers that interleave responses and write when their transport reports that it has room.

const page = {synthetic: {objects: 6, objectBytes: 12_000}};
const SCHEDULERS = ['first-come', 'round-robin', 'weighted', 'scan-aware'] as const;
const path = {rateBps: 1_000_000, rttMs: 350, loss: 0};

describe('a server that interleaves', () => {
  test('sends every object with any scheduler, any losses and any send buffer', () => {
    const pane = fc.oneof(
      fc.record({pipeline: fc.constant('h2'), tls: fc.boolean()}),
      fc.record({pipeline: fc.constant('h3'), visit: fc.constantFrom('first', 'again')}),
      fc.record({pipeline: fc.constant('sctp'), server: fc.constant('interleaving'), idata: fc.boolean()}),
    );
    const more = fc.record({
      scheduler: fc.constantFrom(...SCHEDULERS),
      profile: fc.constantFrom('classic', 'modern'),
      sendBuffer: fc.constantFrom(null, {bytes: 1600}, {bytes: 5000}, {objects: 1}),
    });
    const run = fc.record({
      pane,
      more,
      seed: fc.nat({max: 1e6}),
      serverThinkMs: fc.constantFrom(0, 300),
      path: fc.constantFrom(0, 0.03, 0.1).map(loss => ({...path, loss})),
    });
    fc.assert(
      fc.property(run, ({pane, more, ...document}) => {
        const [trace] = load(document, [{...pane, ...more}]);
        expect(trace?.data.outcome).toBe('complete');
      }),
      {numRuns: 40},
    );
  });

  // Frames, tags and records may cost a twentieth.
  test.each([
    ['h2', {pipeline: 'h2', tls: false}, {pipeline: 'tcp'}],
    ['sctp', {pipeline: 'sctp', server: 'interleaving'}, {pipeline: 'sctp'}],
  ])('is about as fast as a sequential server: %s', (_, interleaving, sequential) => {
    const [one, other] = load({path}, [
      {...interleaving, profile: 'modern'},
      {...sequential, profile: 'modern'},
    ]);
    expect((one?.data.endNs ?? 0) / (other?.data.endNs ?? 0)).toBeLessThan(1.05);
  });
});

function load(document: {readonly [key: string]: Json}, panes: readonly Json[]): readonly Trace[] {
  return traces({seed: 1, page, ...document, panes});
}
