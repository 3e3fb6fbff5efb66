import {expect, test} from 'vitest';
import {HeadBudget} from './headBudget.ts';

class Sender {
  isGone = false;

  giveUp(): void {
    this.isGone = true;
  }
}

test('a sender above its own limit is ended; if all senders exceed the common limit, the oldest one is ended', () => {
  const budget = new HeadBudget({headBytes: 10, headInAllBytes: 25});
  const [a, b, c, d] = [new Sender(), new Sender(), new Sender(), new Sender()];
  budget.settle(a, 10);
  budget.settle(b, 5);
  budget.settle(c, 10);
  expect([a, b, c].some(({isGone}) => isGone)).toBe(false);
  budget.settle(d, 11);
  expect(d.isGone).toBe(true);
  expect(budget.bytes).toBe(25);
  budget.settle(b, 6);
  expect([a, b, c].map(({isGone}) => isGone)).toEqual([true, false, false]);
  expect(budget.bytes).toBe(16);
  // A sender whose heads are complete counts as new when its next head begins.
  budget.settle(b, 0);
  budget.settle(b, 10);
  budget.settle(d, 10);
  expect([b, c].map(({isGone}) => isGone)).toEqual([false, true]);
});
