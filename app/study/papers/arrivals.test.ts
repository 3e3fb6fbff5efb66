import {expect, test} from 'vitest';
import {smallTrace} from '../../run/trace/smallTrace.ts';
import {Trace} from '../../run/trace/trace.ts';
import {betweenArrivalsMs} from './arrivals.ts';

test('between two arrivals is the longest time in which nothing comes, from the first to the page’s last', () => {
  const data = smallTrace();
  // at 20, 30, 40 and 70 ms; what is lost at 25, and what comes to the server at 5, is none
  expect(betweenArrivalsMs(new Trace(data))).toBe(30);
  expect(betweenArrivalsMs(new Trace({...data, endNs: 69e6}))).toBe(10);
  expect(betweenArrivalsMs(new Trace({...data, outcome: 'time-limit'}))).toBeNull();
});
