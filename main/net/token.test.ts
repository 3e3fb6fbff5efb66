import {expect, test} from 'vitest';
import {checkToken, TokenGate} from './token.ts';

const TOKEN = 'Bearer 0123456789abcdef';

test('a token must have 16 to 1000 characters, all ASCII and without spaces', () => {
  for (const right of ['0123456789abcdef', 'x'.repeat(1000)]) expect(() => checkToken(right)).not.toThrow();
  for (const [wrong, why] of [
    ['0123456789abcde', 'token has 15 characters: must be 16 to 1000 ASCII characters without spaces'],
    ['x'.repeat(1001), 'token has 1001 characters'],
    ['0123456789 abcdef', 'token has characters that are not allowed'],
    ['0123456789abcdefé', 'token has characters that are not allowed'],
  ] as const)
    expect(() => checkToken(wrong)).toThrow(why);
});

test('hardly any of a thousand guesses per second from one address is checked', () => {
  let nowMs = 0;
  const gate = new TokenGate(TOKEN.slice('Bearer '.length), () => nowMs);
  // The right token is accepted only if it is checked. After that, wrong guesses are counted from 0.
  for (let guess = 0; guess < 10; guess++) expect(gate.isRight(`Bearer ${guess}`, '192.0.2.1')).toBe(false);
  for (nowMs = 1; nowMs < 1000; nowMs++) expect(gate.isRight(TOKEN, '192.0.2.1')).toBe(false);
  expect(gate.isRight(TOKEN, '192.0.2.2')).toBe(true);
  expect(gate.isRight('Bearer x', '192.0.2.1')).toBe(false);
  nowMs = 1000;
  expect(gate.isRight('Bearer x', '192.0.2.1')).toBe(false);
  // The second wait is twice as long.
  nowMs = 2999;
  expect(gate.isRight(TOKEN, '192.0.2.1')).toBe(false);
  nowMs = 3000;
  expect(gate.isRight(TOKEN, '192.0.2.1')).toBe(true);
  expect(gate.isRight(TOKEN, '192.0.2.1')).toBe(true);
});

test('no wait is longer than a minute', () => {
  let nowMs = 0;
  const gate = new TokenGate('0123456789abcdef', () => nowMs);
  for (let guess = 0; guess < 100; guess++, nowMs += 60_000) gate.isRight('Bearer x', '192.0.2.1');
  expect(gate.isRight(TOKEN, '192.0.2.1')).toBe(true);
});

test('a request without a token is not a guess, and addresses in one IPv6 network count as one', () => {
  const gate = new TokenGate('0123456789abcdef', () => 0);
  for (let i = 0; i < 100; i++) expect(gate.isRight(undefined, '192.0.2.1')).toBe(false);
  expect(gate.isRight(TOKEN, '192.0.2.1')).toBe(true);
  for (let i = 1; i <= 10; i++) gate.isRight('Bearer x', `2001:db8::${i}`);
  expect(gate.isRight(TOKEN, '2001:db8::ffff')).toBe(false);
  expect(gate.isRight(TOKEN, '2001:db8:0:1::1')).toBe(true);
});
