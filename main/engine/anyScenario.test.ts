import fc from 'fast-check';
import {expect, test} from 'vitest';
import {measure} from '../../app/run/metrics/metrics.ts';
import {anyScenario} from '../../app/run/scenario/testing/anyScenario.ts';
import {runDocument} from '../workers/testing/runs.ts';

test('a load of any valid scenario is complete or ends with a reason', () => {
  const outcomes = new Set<string>();
  fc.assert(
    fc.property(anyScenario, document => {
      for (const trace of runDocument(document).panes) {
        const {outcome, reason, objects} = trace;
        outcomes.add(outcome);
        expect(reason === null).toBe(outcome === 'complete');
        // An incomplete load has no times. A complete load has all times. No simulated load has a missing object.
        const {pageTimeMs, pPageMs, silentMs, missing} = measure(trace);
        for (const time of [pageTimeMs, ...Object.values(pPageMs), silentMs]) {
          expect(time !== null).toBe(outcome === 'complete');
        }
        expect([pPageMs[100], missing]).toEqual([pageTimeMs, 0]);
        for (const {completeNs, failedNs, failure} of objects) {
          if (outcome === 'complete') expect(completeNs).not.toBeNull();
          expect(failure === null).toBe(failedNs === null);
        }
      }
    }),
    {numRuns: 60},
  );
  expect(outcomes).toContain('complete');
});
