import {expect, test} from 'vitest';
import {meanLossRate} from './lossModel.ts';

const BURSTS = {model: 'gilbert-elliott', p: 0.1, r: 0.3, h: 0, k: 1, applies: 'all'} as const;

test('the mean loss rate weights the loss rates of both states by the time in each', () => {
  expect(meanLossRate(BURSTS)).toBeCloseTo(0.25, 12);
  expect(meanLossRate({...BURSTS, h: 0.5, k: 0.9})).toBeCloseTo(0.25 * 0.5 + 0.75 * 0.1, 12);
});

test('a chain that never changes its state stays in the good state, where it starts', () => {
  expect(meanLossRate({...BURSTS, p: 0, r: 0, k: 0.9})).toBeCloseTo(0.1, 12);
});
