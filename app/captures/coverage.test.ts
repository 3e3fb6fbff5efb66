import {expect, test} from 'vitest';
import {Acknowledged} from './coverage.ts';

test('an acknowledgement counts even if it is added after a query', () => {
  const acknowledged = new Acknowledged();
  acknowledged.add(0, [[10, 20]], 1);
  expect([acknowledged.firstNs(15), acknowledged.firstNs(35)]).toEqual([1, null]);
  acknowledged.add(0, [[30, 40]], 2);
  expect([acknowledged.firstNs(15), acknowledged.firstNs(35)]).toEqual([1, 2]);
});
