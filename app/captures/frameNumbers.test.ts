import {expect, test} from 'vitest';
import type {DatagramRequest} from '../http/datagrams/datagramRequest.ts';
import {firstNumbers, RequestNumbers} from './frameNumbers.ts';

const whole = (request: number): DatagramRequest => ({url: '/', request, datagram: 0, ranges: null, rttUs: null});
const some = (request: number): DatagramRequest => ({...whole(request), ranges: [{first: 1, last: 2}]});
const text = (numbers: ReturnType<RequestNumbers['numbersOf']>): string =>
  numbers.map(({number, isRepeat}) => `${number}${isRepeat ? ' again' : ''}`).join();

test('a request that is repeated keeps its number, and a request for some frames has a new number', () => {
  const numbers = new RequestNumbers();
  expect(text(numbers.numbersOf([whole(0)]))).toBe('0');
  expect(text(numbers.numbersOf([whole(0), some(0), some(0)]))).toBe('0 again,1,2');
  expect(text(numbers.numbersOf([whole(1)]))).toBe('3');
});

test('new requests are numbered before requests for some frames that are sent at the same time', () => {
  const numbers = new RequestNumbers();
  numbers.numbersOf([whole(0)]);
  expect(text(numbers.numbersOf([some(0), whole(1), whole(2)]))).toBe('3,1,2');
});

test('requests that were not sent in datagrams take numbers, too', () => {
  const numbers = new RequestNumbers();
  expect(text(numbers.numbersOf([some(0), whole(2)]))).toBe('3,2');
});

test('a request with a number that no client reaches does not take memory', () => {
  const numbers = new RequestNumbers();
  expect(text(numbers.numbersOf([whole(999_999_999)]))).toBe('0');
  expect(text(numbers.numbersOf([whole(0)]))).toBe('0');
});

test('responses are numbered in the order in which their requests arrived', () => {
  const numbers = firstNumbers([
    {request: 0, askedNs: 1, askedBy: 9, frames: 5},
    {request: 1, askedNs: 2, askedBy: 8, frames: 2},
    {request: 2, askedNs: 2, askedBy: 7, frames: 3},
  ]);
  expect([...numbers].sort()).toEqual([
    [0, 0],
    [1, 8],
    [2, 5],
  ]);
});
