import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {afterEach, expect, test, vi} from 'vitest';
import {program} from '../../files/program.ts';
import {readArguments} from '../command.ts';
import {runShim, shim} from './shim.ts';

const T = 'token-at-command-line';
const E = 'token-of-environment';

afterEach(() => vi.unstubAllEnvs());

const shimSettings = (...args: string[]) => readArguments(shim, args);

/** Runs one end of the shim, gives the JSON that it prints to `use`, and stops the end when `use` has finished. */
async function running(args: readonly string[], use: (told: Record<string, string>) => Promise<void>): Promise<void> {
  const end = new AbortController();
  const write = (text: string) => use(JSON.parse(text)).finally(() => end.abort(new Error('the end')));
  const run = runShim(shimSettings(...args, '--json'), {write, signal: end.signal});
  await expect(run).rejects.toThrow('the end');
}

test('without --listen both ends listen on loopback, the far end on the port of SCTP over UDP', () => {
  const near = {end: 'near', host: '127.0.0.1', port: 8080, token: undefined};
  expect(shimSettings('--to', 'example.org')).toEqual({
    ...near,
    format: 'table',
    to: {host: 'example.org', port: 9899},
  });
  expect(shimSettings('--to', '[::1]:5', '--listen', '0')).toMatchObject({
    to: {host: '::1', port: 5},
    port: 0,
  });
  vi.stubEnv('INTERLEAVE_TOKEN', E);
  const far = shimSettings('--gateway');
  expect(far).toMatchObject({end: 'far', host: '127.0.0.1', port: 9899, token: E, isPrivateAllowed: false});
  expect(shimSettings('--gateway', '--token', T, '--listen', '0.0.0.0')).toMatchObject({
    host: '0.0.0.0',
    token: T,
  });
});

test('a far end that anybody could use as a proxy is bad input, and so is an option of the other end', () => {
  for (const [args, message] of [
    [[], '--to HOST:PORT is missing'],
    [['--to', 'a:0'], '--to is a:0'],
    [['--to', 'http://a'], '--to is http://a'],
    [['--to', '[1]:2'], '--to is [1]:2'],
    [['--to', 'a', '--origin', 'http://b'], '--origin is for the far end: --gateway is missing'],
    [['--to', 'a', '--allow-private'], '--allow-private is for'],
    [['--gateway'], '--gateway needs --origin http://HOST:PORT or --token T'],
    [['--gateway', '--to', 'a'], '--to is for the near end'],
    [['--gateway', '--origin', 'https://a'], '--origin is https://a'],
    [['--gateway', '--origin', 'http://a/b'], '--origin is http://a/b'],
    [['--gateway', '--token', 'a b'], '--token has characters'],
  ] as const) {
    expect(() => shimSettings(...args)).toThrow(message);
  }
});

test('both ends print where they listen, and a request passes through both', async () => {
  const server = createServer((_, response) => response.end('page'));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    await running(['--gateway', '--listen', '0', '--origin', origin], async far => {
      expect(far).toMatchObject({program: program(), end: 'far', origin});
      await running(['--to', far['listens'] ?? '', '--listen', '0'], async near => {
        expect(near).toMatchObject({
          program: program(),
          end: 'near',
          to: far['listens'],
          http: `http://${near['listens']}/`,
        });
        expect(await (await fetch(near['http'] ?? '')).text()).toBe('page');
        const taken = ['--to', 'a', '--listen', near['listens'] ?? ''];
        await expect(running(taken, async () => undefined)).rejects.toThrow('another program listens there already');
      });
    });
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

test('an end warns if other machines can reach it', async () => {
  const warned = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const gateway = ['--gateway', '--listen', '0.0.0.0:0', '--origin', 'http://127.0.0.1:1'];
  for (const [args, warning] of [
    [['--to', '127.0.0.1', '--listen', '0.0.0.0:0'], 'everybody can read all that its far end can read'],
    [gateway, 'everybody can read from its origin'],
    [[...gateway, '--token', T], 'whoever has the token can use it'],
    [['--to', '127.0.0.1', '--listen', '0'], undefined],
  ] as const) {
    warned.mockClear();
    await running(args, async () => undefined);
    const said = warned.mock.calls.join('');
    if (warning === undefined) expect(said).toBe('');
    else expect(said).toContain(warning);
  }
  warned.mockRestore();
});
