import {expect, test} from 'vitest';
import {checkTimes} from './stills.ts';

test('the error message names an end of the run at which a picture can be taken', () => {
  expect(() => checkTimes([0.09e9], 85_199_999)).toThrow('there is no picture at 0.09 s: the run is from 0 to 0.085 s');
  expect(() => checkTimes([0, 0.085e9, 85_199_999], 85_199_999)).not.toThrow();
  expect(() => checkTimes([1e9, -1], 2e9)).toThrow(/no picture at -1e-9 s/);
});
