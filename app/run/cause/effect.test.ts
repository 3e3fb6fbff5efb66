import {expect, test} from 'vitest';
import {smallTrace} from '../trace/testing/smallTrace.ts';
import {Trace} from '../trace/trace.ts';
import {effectsOf, oneLossSentence} from './effect.ts';

const trace = new Trace(smallTrace());
const {packets, ...others} = smallTrace();
const calm = new Trace({...others, packets: {...packets, fate: packets.fate.with(3, 1)}});

test('where every side lost one packet with data, what that stopped is told, sides that are alike together', () => {
  expect(effectsOf(trace)).toHaveLength(1);
  expect(oneLossSentence([trace, trace], ['A', 'B'])).toBe('One lost packet: the whole page stood still on A and B.');
});

test('where a side lost nothing, or there is one side, nothing is told', () => {
  expect(oneLossSentence([trace, calm], ['A', 'B'])).toBe('');
  expect(oneLossSentence([trace], ['A'])).toBe('');
});
