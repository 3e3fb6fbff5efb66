import {expect, test} from 'vitest';
import {firstSeenNs} from './firstSeen.ts';
import {smallTrace} from './testing/smallTrace.ts';
import {Trace} from './trace.ts';

const MS = 1e6;

test('the page is first seen when, in any pane, its HTML is complete or another object begins to arrive', () => {
  expect(firstSeenNs([new Trace(smallTrace())])).toBe(20 * MS);
  const data = smallTrace();
  const [index, image] = data.objects;
  if (index === undefined || image === undefined) throw new Error('the trace has two objects');
  const late = new Trace({...data, objects: [{...index, completeNs: 50 * MS}, image]});
  // a picture begins to arrive before the HTML is complete
  expect(firstSeenNs([late])).toBe(30 * MS);
  expect(firstSeenNs([late, new Trace(data)])).toBe(20 * MS);
});

test('the time is 0 if nothing arrives in any pane, or if there is no pane', () => {
  const data = smallTrace();
  const empty = new Uint32Array(0);
  const none = {object: empty, atNs: new Float64Array(0), bytes: new Float64Array(0), first: new Float64Array(0)};
  const objects = data.objects.map(object => ({...object, completeNs: null}));
  expect(firstSeenNs([new Trace({...data, objects, deliveries: none})])).toBe(0);
  expect(firstSeenNs([])).toBe(0);
});
