import {expect, test} from 'vitest';
import {beginsWithClientHello, readCipherSuite, readClientHello, readStreamLimit} from './hellos.ts';

/** A handshake message with a type and a length of three bytes (RFC 8446 §4). */
function message(type: number, ...body: readonly number[]): Uint8Array {
  return Uint8Array.of(type, 0, body.length >> 8, body.length & 255, ...body);
}

function extension(type: number, ...content: readonly number[]): readonly number[] {
  return [type >> 8, type & 255, content.length >> 8, content.length & 255, ...content];
}

function sized(...content: readonly number[]): readonly number[] {
  return [content.length >> 8, content.length & 255, ...content];
}

const RANDOM = Array.from({length: 32}, (_, i) => i);
const NAME = Array.from('a.test', character => character.charCodeAt(0));

function hello(...extensions: readonly number[]): Uint8Array {
  return message(1, 3, 3, ...RANDOM, 2, 9, 9, ...sized(0x13, 1), 1, 0, ...sized(...extensions));
}

test('a ClientHello has its random number and the name of the server', () => {
  const random = RANDOM.map(byte => byte.toString(16).padStart(2, '0')).join('');
  const named = hello(...extension(5, 1), ...extension(0, ...sized(0, ...sized(...NAME))));
  expect(readClientHello(named)).toEqual({random, serverName: 'a.test'});
  expect(readClientHello(hello(...extension(5, 1)))).toEqual({random, serverName: undefined});
  expect(beginsWithClientHello(named)).toBe(true);
});

test('a name with other characters than those of hosts is no name', () => {
  const name = [...NAME, 10, 60];
  expect(readClientHello(hello(...extension(0, ...sized(0, ...sized(...name)))))?.serverName).toBeUndefined();
});

test('a ServerHello has its cipher suite', () => {
  expect(readCipherSuite(message(2, 3, 3, ...RANDOM, 2, 9, 9, 0x13, 3, 0))).toBe(0x1303);
  expect(readCipherSuite(message(1, 3, 3, ...RANDOM, 2, 9, 9, 0x13, 3, 0))).toBeUndefined();
});

test('the number of streams is that of bidirectional ones, and 0 if the server grants none', () => {
  const parameters = (...content: readonly number[]) =>
    message(8, ...sized(...extension(16, 0), ...extension(0x39, ...content)));
  expect(readStreamLimit(parameters(9, 1, 5, 8, 2, 0x40, 100, 4, 1, 7))).toBe(100);
  expect(readStreamLimit(parameters(9, 1, 5))).toBe(0);
  expect(readStreamLimit(message(8, ...sized(...extension(16, 0))))).toBeUndefined();
});

test('a message that is cut at any place is not read, and wrong lengths cause no exception', () => {
  const whole = hello(...extension(0, ...sized(0, ...sized(...NAME))));
  for (let bytes = 0; bytes < whole.length; bytes++) expect(readClientHello(whole.subarray(0, bytes))).toBeUndefined();
  for (let at = 4; at < whole.length; at++) {
    const lying = Uint8Array.from(whole);
    lying[at] = 255;
    expect(() => readClientHello(lying)).not.toThrow();
  }
});
