import {expect, test} from 'vitest';
import {leftOutCount, leftOutText} from './leftOut.ts';
import {readTypedAddress, typedAddress} from './typedAddress.ts';

test.each([
  ['https://example.org/a?b#c', 'https://example.org/a?b#c'],
  [' HTTP://example.org ', 'http://example.org/'],
  ['example.org/news', 'https://example.org/news'],
  ['localhost:8080', 'http://localhost:8080/'],
  ['localhost.example.org', 'https://localhost.example.org/'],
  ['192.0.2.1:80/a', 'http://192.0.2.1/a'],
  ['[::1]:8080', 'http://[::1]:8080/'],
  ['bücher.example', 'https://xn--bcher-kva.example/'],
  ['sctp://192.0.2.1:9899/a', 'sctp://192.0.2.1:9899/a'],
])('the typed text %s means the address %s', (typed, address) => {
  expect(typedAddress(typed)).toBe(address);
});

test.each([
  '',
  '  ',
  'two words',
  'file:///etc/passwd',
  'ftp://example.org',
  'https://',
  'interleave://scenario/',
  'sctp://',
  'sctp:///path',
])('%s is not an address', typed => {
  expect(typedAddress(typed)).toBeNull();
});

test.each([
  '/home/me/page.html',
  './page.html',
  '../page',
  '~/page.har',
  'C:\\pages\\page.html',
  'c:/pages/page.html',
  '\\\\server\\pages',
  'file:///home/me/page.html',
])('%s is the path of a file and not an address, and a message says how to open a file', typed => {
  expect(typedAddress(typed)).toBeNull();
  expect(readTypedAddress(typed)).toEqual({
    address: null,
    problem: `${typed} is a file on this computer, not an address: open it with ‘Open’ (Ctrl O), or drop it on the window`,
  });
});

test('a typed text that is no address is named', () => {
  expect(readTypedAddress('two words').problem).toBe(
    'two words is not the address of a page, such as example.org or https://example.org/a',
  );
  expect(readTypedAddress(' ')).toEqual({address: null, problem: null});
  expect(readTypedAddress('example.org/~me')).toEqual({address: 'https://example.org/~me', problem: null});
});

test('what is left out is counted in a few words', () => {
  const about = {page: {bundle: '', name: ''}, date: '', notLoaded: ['3 scripts', '1 frame'], leftOut: []};
  const object = {address: 'a', why: 'b'};
  expect(leftOutText(about)).toBe('3 scripts, 1 frame');
  expect(leftOutText({...about, leftOut: [object]})).toBe('3 scripts, 1 frame, 1 object');
  expect(leftOutText({...about, notLoaded: [], leftOut: [object, object]})).toBe('2 objects');
  expect(leftOutText({...about, notLoaded: []})).toBe('');
  expect(leftOutCount({...about, leftOut: [object]})).toBe(5);
});
