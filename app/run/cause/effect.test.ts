import {expect, test} from 'vitest';
import {smallTrace} from '../trace/testing/smallTrace.ts';
import {Trace} from '../trace/trace.ts';
import {effectsOf, oneLossSentence} from './effect.ts';

const trace = new Trace(smallTrace());
const {packets, ...others} = smallTrace();
const calm = new Trace({...others, packets: {...packets, fate: packets.fate.with(3, 1)}});

test('the sentence groups panes with equal effects if every pane lost one packet with data', () => {
  expect(effectsOf(trace)).toHaveLength(1);
  expect(oneLossSentence([trace, trace], ['A', 'B'])).toBe('One lost packet: the whole page stood still on A and B.');
});

test('the sentence is empty if a pane lost nothing, or if there is one pane', () => {
  expect(oneLossSentence([trace, calm], ['A', 'B'])).toBe('');
  expect(oneLossSentence([trace], ['A'])).toBe('');
});
