import {expect, test} from 'vitest';
import {knownArrival, knownFate} from './knownFate.ts';

test.each([
  ['', {fate: 'delivered'}],
  ['marked: by the queue, to signal congestion; it was sent as ECT', {fate: 'delivered'}],
  ['on its way when the run ended', {fate: null}],
  ['dropped: lost on the path', {fate: 'lost', dropped: 'lost'}],
  ['dropped: the queue was full', {fate: 'lost', dropped: 'queueFull'}],
  ['dropped: by the queue, to signal congestion', {fate: 'lost', dropped: 'early'}],
  ['dropped: by the policer of the link', {fate: 'lost', dropped: 'policed'}],
  ['dropped: the client had left the path', {fate: 'lost', dropped: 'handedOver'}],
])('a comment of this program’s captures says what became of a packet: %s', (comment, fate) => {
  const packet = {row: 0, atNs: 0, bytes: 0, data: new Uint8Array(), comment};
  expect(knownFate({...packet, interface: 'down (server to client)'})).toEqual(fate);
  expect(knownFate({...packet, interface: 'up (client to server)'})).toEqual(fate);
  expect(knownFate({...packet, interface: 'eth0'})).toBeUndefined();
});

test('a comment says when a packet arrived, and when its copy did', () => {
  const packet = {row: 0, atNs: 1000, bytes: 0, data: new Uint8Array(), interface: 'up (client to server)'};
  const arrival = (comment: string, own = {}) => knownArrival({...packet, comment, ...own});
  expect(knownFate({...packet, comment: 'arrived 50 ns after it was sent'})).toEqual({fate: 'delivered'});
  expect(arrival('arrived 50 ns after it was sent')).toEqual({atNs: 1050, firstNs: 1050});
  expect(arrival('arrived 50 ns after it was sent, its copy after 40 ns')).toEqual({atNs: 1050, firstNs: 1040});
  expect(arrival('arrived 50 ns after it was sent, its copy after 60 ns')).toEqual({atNs: 1050, firstNs: 1050});
  expect(arrival('arrived 50 ns after it was sent', {interface: 'eth0'})).toBeUndefined();
  expect(arrival('arrived 9999999999999999 ns after it was sent')).toBeUndefined();
  expect(arrival('dropped: lost on the path')).toBeUndefined();
});
