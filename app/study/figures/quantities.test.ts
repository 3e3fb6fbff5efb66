import {expect, test} from 'vitest';
import {placeWords, valueText} from './quantities.ts';

test.each([
  ['path.loss', {p: 0.013158, r: 0.25}, 'loss each way 5 % in bursts of 4 packets on average'],
  ['path.loss.down', {packets: [30], applies: 'data'}, 'loss down exactly data packet 30'],
  ['path.loss', 0.03, 'loss each way 3 %'],
  ['panes.0.profile', 'reno', 'profile of pane 1 reno'],
])('a value of %s is described in words', (key, value, text) => {
  expect(valueText(key, value)).toBe(text);
});

test('the label of a loss below the x axis is never JSON', () => {
  expect(placeWords('path.loss.down', {packets: [5, 9]})).toBe('exactly packets 5 and 9');
  // an object that is not a loss is written as JSON
  expect(placeWords('panes.0.sendBuffer', {objects: 2})).toBe('{"objects":2}');
});
