import {expect, test} from 'vitest';
import {checkTimes} from './stills.ts';

test('a picture can be taken at the end of the run that the message names', () => {
  expect(() => checkTimes([0.09e9], 85_199_999)).toThrow('there is no picture at 0.09 s: the run is from 0 to 0.085 s');
  expect(() => checkTimes([0, 0.085e9, 85_199_999], 85_199_999)).not.toThrow();
  expect(() => checkTimes([1e9, -1], 2e9)).toThrow(/no picture at -1e-9 s/);
});
