import {expect, test} from 'vitest';
import {vantageOf} from './vantage.ts';

const MS = 1e6;
const seen = (...handshakes: readonly (readonly [answerMs: number, acknowledgementMs: number])[]) => {
  const gaps = handshakes.map(([answer, ack]) => ({answerNs: answer * MS, acknowledgementNs: ack * MS}));
  const {seenAt, note} = vantageOf({handshakes: gaps, host: undefined, isOwn: false});
  return [seenAt, note !== undefined];
};

test('the longer step of the handshakes shows the end at which a capture was made', () => {
  expect(seen([40, 0.1])).toEqual(['client', false]);
  expect(seen([0.2, 30], [0.1, 35])).toEqual(['server', false]);
  // a handshake without both times does not count
  expect(seen([Number.NaN, 90], [40, 0.1])).toEqual(['client', false]);
});

test('a note says that a capture seems to be made in between, but not on paths of less than a millisecond', () => {
  expect(seen([30, 10])).toEqual(['client', true]);
  expect(seen([0.6, 0.3])).toEqual(['client', false]);
  // six short handshakes are not a long one
  expect(seen(...Array.from({length: 6}, () => [0.6, 0.3] as const))).toEqual(['client', false]);
});
