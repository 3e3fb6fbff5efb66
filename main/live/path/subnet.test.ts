import {expect, test} from 'vitest';
import {freeSubnet, insideAddress} from './subnet.ts';

function having(...cidrs: readonly (readonly [address: string, netmask: string])[]) {
  const list = cidrs.map(([address, netmask]) => {
    return {address, netmask, family: 'IPv4', mac: '', internal: false, cidr: null} as const;
  });
  const six = {address: '::1', netmask: '', family: 'IPv6', mac: '', internal: true, cidr: null} as const;
  return freeSubnet({a: list, b: [{...six, scopeid: 0}]});
}

test('the free subnet is the first /28 network of 198.18.0.0/15 that overlaps no network of an interface', () => {
  const [first, second] = [
    {outside: '198.18.0.1', inside: '198.18.0.2'},
    {outside: '198.18.0.17', inside: '198.18.0.18'},
  ];
  expect(having(['192.0.2.2', '255.255.255.0'])).toEqual(first);
  expect(having(['198.18.0.1', '255.255.255.252'])).toEqual(second);
  expect(having(['198.18.0.3', '255.255.255.255'])).toEqual(second);
  expect(having(['198.18.0.14', '255.255.255.252'])).toEqual(second);
  expect(having(['198.18.0.18', '255.255.255.252'])).toEqual(first);
  expect(having(['198.18.0.77', '255.255.255.0'])).toEqual({outside: '198.18.1.1', inside: '198.18.1.2'});
});

test('there is no free subnet if all are in use', () => {
  expect(having(['198.19.1.1', '255.254.0.0'])).toBeUndefined();
});

test('a subnet has thirteen addresses for the inside end, and hand-overs use one after the other', () => {
  const all = Array.from({length: 14}, (_, handOvers) => insideAddress('198.18.0.17', handOvers));
  expect(all.slice(0, 2)).toEqual(['198.18.0.18', '198.18.0.19']);
  expect(all.slice(12)).toEqual(['198.18.0.30', '198.18.0.18']);
  expect(new Set(all).size).toBe(13);
});
