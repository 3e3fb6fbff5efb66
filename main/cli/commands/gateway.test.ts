import {pathToFileURL} from 'node:url';
import {expect, test, vi} from 'vitest';
import {program} from '../../files/program.ts';
import {privateHint} from '../../pages/gateway/chosenGateway.ts';
import {readArguments} from '../command.ts';
import {fetch} from './fetch.ts';
import {gateway, serveGateway} from './gateway.ts';

const T = 'token-at-command-line';
const E = 'token-of-environment';

const module = pathToFileURL('/nowhere.mjs');

const gatewayOf = (...args: string[]) => readArguments(gateway, args);

test.each([
  [[], '127.0.0.1', 0],
  [['8470'], '127.0.0.1', 8470],
  [['0.0.0.0:8470'], '0.0.0.0', 8470],
  [['192.0.2.1'], '192.0.2.1', 0],
  [['[::1]:8470'], '::1', 8470],
  [['::1'], '::1', 0],
  [['localhost:8470'], '127.0.0.1', 8470],
])('--listen %j is %s, port %i', (at, host, port) => {
  expect(gatewayOf('--listen', ...at, '--token', T)).toMatchObject({host, port, token: T});
  if (at[0] !== undefined) expect(gatewayOf(`--listen=${at[0]}`, '--token', T)).toMatchObject({host, port});
});

test.each(['example.org:80', '127.0.0.1:', '127.0.0.1:65536', '127.0.0.1:x', '999999', '[::1', ':8470', ''])(
  '--listen %s is refused',
  at => {
    expect(() => gatewayOf('--listen', at, '--token', T)).toThrow('must be like 127.0.0.1:8470');
  },
);

test('the error says whether --listen or the token is missing; the environment may have the token', () => {
  expect(() => gatewayOf('--token', T)).toThrow('--listen is missing: interleave gateway --listen');
  expect(() => gatewayOf('--listen')).toThrow('--token is missing');
  expect(() => gatewayOf('--listen', '--token', 'a b')).toThrow('--token has characters');
  vi.stubEnv('INTERLEAVE_GATEWAY_TOKEN', 'of the environment');
  expect(() => gatewayOf('--listen')).toThrow('--token has characters');
  vi.stubEnv('INTERLEAVE_GATEWAY_TOKEN', E);
  expect(gatewayOf('--listen').token).toBe(E);
  vi.unstubAllEnvs();
});

test('fetch accepts a gateway of another machine, with its token', () => {
  const fetchOf = (...args: string[]) => readArguments(fetch, ['https://a.test/', '--out', 'a', ...args]);
  const gateway = {address: 'http://192.0.2.1:8470', token: T};
  expect(fetchOf('--gateway', 'http://192.0.2.1:8470/', '--token', T)).toMatchObject({gateway});
  expect(fetchOf()).toMatchObject({gateway: undefined});
  expect(() => fetchOf('--token', T)).toThrow('--token is for a gateway: --gateway is missing');
  expect(() => fetchOf('--gateway', 'http://192.0.2.1:8470')).toThrow('--token is missing');
  for (const wrong of ['192.0.2.1:8470', 'ftp://192.0.2.1', 'http://a:b@192.0.2.1', 'http://192.0.2.1/bundle'])
    expect(() => fetchOf('--gateway', wrong, '--token', T)).toThrow('--gateway is ');
});

test('the hint names every machine that has to allow a private address', () => {
  expect(privateHint(undefined)).toBe('(--allow-private allows it)');
  expect(privateHint({address: 'http://192.0.2.1:8470', token: T})).toBe(
    '(to allow it, start both this command and the gateway with --allow-private)',
  );
});

test('the gateway prints where it listens, and warns if other machines can reach it', async () => {
  const warned = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  for (const [at, isReached] of [
    ['127.0.0.1', false],
    ['0.0.0.0', true],
  ] as const) {
    warned.mockClear();
    const end = new AbortController();
    const lines: string[] = [];
    const write = async (line: string): Promise<void> => {
      lines.push(line);
      end.abort(new Error('the end'));
    };
    const command = gatewayOf('--listen', at, '--token', T, '--json');
    await expect(serveGateway(command, {module, write, signal: end.signal})).rejects.toThrow('the end');
    expect(JSON.parse(lines.join(''))).toEqual({
      program: program(),
      listens: expect.stringMatching(new RegExp(`^http://${at}:\\d+$`)),
    });
    expect(warned.mock.calls.length > 0).toBe(isReached);
  }
  warned.mockRestore();
});

test('a port in use is bad input', async () => {
  const end = new AbortController();
  let taken = '';
  const write = async (line: string): Promise<void> => {
    taken = new URL(JSON.parse(line).listens).port;
    const other = gatewayOf('--listen', taken, '--token', T);
    await expect(serveGateway(other, {module, write, signal: end.signal})).rejects.toThrow(
      `cannot listen on 127.0.0.1, port ${taken}: another program listens there already`,
    );
    end.abort(new Error('the end'));
  };
  const command = gatewayOf('--listen', '--token', T, '--json');
  await expect(serveGateway(command, {module, write, signal: end.signal})).rejects.toThrow('the end');
});
