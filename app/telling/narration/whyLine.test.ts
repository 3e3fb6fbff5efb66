import {expect, test} from 'vitest';
import {smallTrace} from '../../run/trace/testing/smallTrace.ts';
import {Trace} from '../../run/trace/trace.ts';
import {PLAIN_OPTIONS} from '../../run/why/testing/plainOptions.ts';
import {whyLine} from './whyLine.ts';

const MS = 1e6;

/** A load whose only object, the HTML, was requested 10 ms before it was complete. */
function load(completeMs: number, outcome: 'complete' | 'time-limit' = 'complete'): Trace {
  const data = smallTrace();
  const [html] = data.objects;
  if (html === undefined) throw new Error('the small trace has no objects');
  const objects = [{...html, requestNs: (completeMs - 10) * MS, completeNs: completeMs * MS}];
  return new Trace({...data, outcome, endNs: completeMs * MS, objects});
}

test('the first side to complete the page is compared with the last one', () => {
  const traces = [load(50), load(90), load(30)];
  const line = whyLine({traces, names: ['A', 'B', 'C'], why: [PLAIN_OPTIONS, PLAIN_OPTIONS, PLAIN_OPTIONS]});
  expect(line).toMatch(/^C is 60 ms ahead of B: /);
});

test('sides without the whole page, and live loads, are not compared', () => {
  const names = ['A', 'B'];
  expect(whyLine({traces: [load(50), load(90, 'time-limit')], names, why: [PLAIN_OPTIONS, PLAIN_OPTIONS]})).toBe('');
  expect(
    whyLine({traces: [load(50), load(90)], names, why: [PLAIN_OPTIONS, {...PLAIN_OPTIONS, seenAt: 'client'}]}),
  ).toBe('');
});

test('a difference that nobody sees is not explained', () => {
  const names = ['A', 'B'];
  expect(whyLine({traces: [load(50), load(50.5)], names, why: [PLAIN_OPTIONS, PLAIN_OPTIONS]})).toBe('');
  expect(whyLine({traces: [load(50), load(51)], names, why: [PLAIN_OPTIONS, PLAIN_OPTIONS]})).not.toBe('');
});
