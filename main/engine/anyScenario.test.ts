import fc from 'fast-check';
import {expect, test} from 'vitest';
import {anyScenario} from '../../app/scenario/anyScenario.ts';
import {runDocument} from './fixture.ts';

test('any valid scenario loads, or ends with a reason', () => {
  const outcomes = new Set<string>();
  fc.assert(
    fc.property(anyScenario, document => {
      for (const {outcome, reason, objects} of runDocument(document).panes) {
        outcomes.add(outcome);
        expect(reason === null).toBe(outcome === 'complete');
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
