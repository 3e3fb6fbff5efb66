import {parseArgs} from 'node:util';
import {afterEach, expect, test, vi} from 'vitest';
import {inOneLine} from './command.mjs';

afterEach(() => {
  process.exitCode = undefined;
  vi.restoreAllMocks();
});

test.each([
  ['an unknown option', async () => parseArgs({args: ['--depht', '1'], options: {depth: {type: 'string'}}}), '--depht'],
  [
    'an option without its value',
    async () => parseArgs({args: ['--depth'], options: {depth: {type: 'string'}}}),
    '--depth',
  ],
  ['an error that says what to do', () => Promise.reject(new Error('install openssl first')), 'install openssl first'],
])('%s is reported in one line', async (_, work, text) => {
  const print = vi.spyOn(console, 'error').mockReturnValue();
  await inOneLine(work);
  expect(process.exitCode).toBe(1);
  expect(print.mock.calls).toEqual([[expect.stringContaining(text)]]);
});

test('a bug in a script keeps its stack trace', async () => {
  await expect(inOneLine(() => Promise.reject(new TypeError('undefined is not a function')))).rejects.toThrow(
    TypeError,
  );
});
