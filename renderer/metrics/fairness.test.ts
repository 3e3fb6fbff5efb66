import {describe, expect, test} from 'vitest';
import {smallTrace} from '../../app/trace/smallTrace.ts';
import {Trace} from '../../app/trace/trace.ts';
import {deliveredText, seedText} from './fairness.ts';

const whole = new Trace(smallTrace());
const aborted = new Trace({...smallTrace(), outcome: 'aborted', reason: 'no answer', endNs: 15e6});

describe('what was delivered', () => {
  test('is the same on every side only if it came on every side', () => {
    expect(deliveredText([whole, whole])).toBe('the same 0.5 KB on every side');
    expect(deliveredText([whole, aborted])).toBe('0.5 / 0.0 KB delivered');
  });

  test('is none where every side aborted', () => {
    expect(deliveredText([aborted, aborted])).toBe('0.0 / 0.0 KB delivered');
  });

  test('is compared with nothing where there is one side', () => {
    expect(deliveredText([whole])).toBe('0.5 KB delivered');
  });
});

test('one side’s losses are like no other’s', () => {
  expect(seedText(7, 2)).toContain('on every side');
  expect(seedText(7, 1)).toBe('seed 7');
});
