import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {anyScenario} from '../../app/run/scenario/testing/anyScenario.ts';
import {Trace} from '../../app/run/trace/trace.ts';
import {completeTarget, criticalPath} from '../../app/run/why/criticalPath.ts';
import {whyOptionsOf} from '../../app/run/why/whyOptions.ts';
import {runDocument} from '../workers/testing/runs.ts';

describe('the critical path of every object of any load', () => {
  test('has no gap and no overlap, and adds up to the time of the object, to the nanosecond', () => {
    let paths = 0;
    fc.assert(
      fc.property(anyScenario, document => {
        const {scenario, panes} = runDocument(document);
        for (const [pane, data] of panes.entries()) {
          const trace = new Trace(data);
          for (const object of trace.objects.keys()) {
            const target = completeTarget(trace, object);
            if (target === null) continue;
            const spans = criticalPath(trace, target, whyOptionsOf(scenario, pane));
            let atNs = 0;
            for (const {fromNs, untilNs} of spans) {
              expect(fromNs).toBe(atNs);
              expect(untilNs).toBeGreaterThan(fromNs);
              atNs = untilNs;
            }
            expect(atNs).toBe(target.atNs);
            paths += 1;
            const unknown = spans.filter(({cause}) => cause === 'unknown' || cause === 'transit');
            expect(unknown, JSON.stringify({object, spans})).toEqual([]);
          }
        }
      }),
      {numRuns: 20},
    );
    expect(paths).toBeGreaterThan(50);
  });
});
