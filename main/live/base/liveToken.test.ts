import {chmodSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, expect, test, vi} from 'vitest';
import {boundTokens, ownToken} from './liveToken.ts';

const [A, B] = ['token-of-server-a', 'token=of:server-b'];
let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tokens-'));
  vi.stubEnv('INTERLEAVE_TOKEN', undefined);
});

afterEach(() => {
  rmSync(folder, {recursive: true});
  vi.unstubAllEnvs();
});

function file(text: string, mode = 0o600): string {
  const name = join(folder, 'tokens');
  writeFileSync(name, text);
  chmodSync(name, mode);
  return `@${name}`;
}

test('a token is sent to the server to which it is bound, and to no other', () => {
  const tokenFor = boundTokens([`127.0.0.1:9899=${A}`, `[2001:db8::1]:9899=${B}`, `Example.org:80=${A}`]);
  expect(tokenFor('127.0.0.1:9899')).toBe(A);
  expect(tokenFor('[2001:DB8::1]:9899')).toBe(B);
  expect(tokenFor('example.org:80')).toBe(A);
  for (const other of ['127.0.0.1:9900', '127.0.0.2:9899', 'evil.example:80', '']) {
    expect(tokenFor(other)).toBeUndefined();
  }
});

test('an unbound token from the environment is never sent, and a given token must be bound', () => {
  vi.stubEnv('INTERLEAVE_TOKEN', A);
  expect(boundTokens()('127.0.0.1:9899')).toBeUndefined();
  expect(ownToken()).toBe(A);
  vi.stubEnv('INTERLEAVE_TOKEN', `127.0.0.1:9899=${A}`);
  expect(boundTokens()('127.0.0.1:9899')).toBe(A);
  // The given token replaces the environment variable.
  expect(boundTokens([`a:1=${B}`])('127.0.0.1:9899')).toBeUndefined();
  expect(() => boundTokens([A])).toThrow('token names no server: must be HOST:PORT=TOKEN, like');
  expect(() => boundTokens(['a:1=short'])).toThrow('token has 5 characters');
  expect(() => ownToken()).toThrow('token is bound to HOST:PORT');
  expect(ownToken(B)).toBe(B);
});

test('a token file must be accessible to its owner only', () => {
  const lines = `127.0.0.1:9899=${A}\n\nb:1=${B}\n`;
  expect(boundTokens([file(lines)])('b:1')).toBe(B);
  expect(ownToken(file(`${A}\n`))).toBe(A);
  for (const mode of [0o640, 0o604, 0o602, 0o660])
    expect(() => ownToken(file(A, mode))).toThrow(`has mode ${mode.toString(8)}: must be accessible to its owner only`);
  expect(() => ownToken(file(`${A}\n${B}`))).toThrow('more than one line');
  expect(() => ownToken(file(''))).toThrow('token has 0 characters');
  expect(() => ownToken(`@${folder}`)).toThrow('is not a regular file');
  expect(() => ownToken(`@${folder}/none`)).toThrow('token file cannot be read: ENOENT');
  expect(() => ownToken(file('x'.repeat(70_000)))).toThrow('has 70000 bytes: must have at most 65536');
  const uid = process.getuid?.();
  if (uid === undefined) return;
  vi.spyOn(process, 'getuid').mockReturnValue(uid + 1);
  expect(() => ownToken(file(A))).toThrow(`belongs to user ${uid}: must belong to ${uid + 1}`);
  vi.restoreAllMocks();
});
