import {expect, test} from 'vitest';
import {meanLossRate, neverLoses} from './lossModel.ts';

const BURSTS = {model: 'gilbert-elliott', p: 0.1, r: 0.3, h: 0, k: 1, applies: 'all'} as const;

test('the mean loss rate weights the loss rates of both states by the time in each', () => {
  expect(meanLossRate(BURSTS)).toBeCloseTo(0.25, 12);
  expect(meanLossRate({...BURSTS, h: 0.5, k: 0.9})).toBeCloseTo(0.25 * 0.5 + 0.75 * 0.1, 12);
});

test('a chain that never changes its state stays in the good state, where it starts', () => {
  expect(meanLossRate({...BURSTS, p: 0, r: 0, k: 0.9})).toBeCloseTo(0.1, 12);
});

test('a model never loses a packet if its rate is 0, its list is empty, or no state that it reaches loses any', () => {
  const of = (part: object) => neverLoses({...BURSTS, ...part});
  expect([of({p: 0}), of({h: 1}), of({}), of({p: 0, k: 0.9}), of({h: 1, k: 0.9})]).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
  const [none, some] = [0, 0.01].map(rate => neverLoses({model: 'bernoulli', rate, applies: 'all'}));
  const [empty, one] = [[], [0]].map(packets => neverLoses({model: 'list', packets, applies: 'all'}));
  expect([none, some, empty, one]).toEqual([true, false, true, false]);
});
