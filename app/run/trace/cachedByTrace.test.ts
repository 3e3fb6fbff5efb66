import {expect, test} from 'vitest';
import {cachedByTrace} from './cachedByTrace.ts';
import {smallTrace} from './testing/smallTrace.ts';
import {Trace} from './trace.ts';

test('a repeated call is computed once for each trace', () => {
  const computed: string[] = [];
  const told = cachedByTrace((trace, by: {readonly name: string}, to: {readonly name: string}) => {
    computed.push(by.name + to.name);
    return `${by.name} ${to.name} ${trace.data.endNs}`;
  });
  const [one, two] = [new Trace(smallTrace()), new Trace({...smallTrace(), endNs: 7})];
  const [a, b] = [{name: 'a'}, {name: 'b'}];
  const {endNs} = smallTrace();
  for (let time = 0; time < 3; time++) {
    expect([told(one, a, a), told(two, b, a)]).toEqual([`a a ${endNs}`, 'b a 7']);
  }
  expect(computed).toEqual(['aa', 'ba']);
  expect(told(one, a, b)).toBe(`a b ${endNs}`);
  expect(told(one, b, b)).toBe(`b b ${endNs}`);
});

test('the result is computed again when the trace has grown', () => {
  const endOf = cachedByTrace(trace => trace.data.endNs);
  const trace = new Trace(smallTrace());
  expect(endOf(trace)).toBe(smallTrace().endNs);
  trace.append({endNs: 99e6});
  expect(endOf(trace)).toBe(99e6);
});
