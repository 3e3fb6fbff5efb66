import {createHash, X509Certificate} from 'node:crypto';
import {createSocket} from 'node:dgram';
import {once} from 'node:events';
import {afterEach, expect, test, vi} from 'vitest';
import {program} from '../../files/program.ts';
import {openPage} from '../../pages/openPage.ts';
import {readArguments} from '../command.ts';
import {serve, servePage} from './serve.ts';

const T = 'token-at-command-line';
const E = 'token-of-environment';

const fixtures = 'fixtures/pages';

afterEach(() => vi.unstubAllEnvs());

const serveSettings = (...args: string[]) => readArguments(serve, args);

/** Serves until `use` has handled the printed text. @returns the result of `use` */
async function served<T>(
  settings: ReturnType<typeof serveSettings>,
  use: (printed: string) => Promise<T>,
): Promise<T | undefined> {
  const end = new AbortController();
  let made: T | undefined;
  const write = async (text: string): Promise<void> => {
    made = await use(text).finally(() => end.abort(new Error('the end')));
  };
  const context = {fixtures, module: new URL('file:///nowhere.mjs'), signal: end.signal};
  await expect(servePage(settings, {...context, write})).rejects.toThrow('the end');
  return made;
}

test('without --listen the server uses loopback and the UDP port of SCTP', () => {
  expect(serveSettings()).toMatchObject({host: '127.0.0.1', port: 9899, token: undefined});
  expect(serveSettings('--listen', '0')).toMatchObject({host: '127.0.0.1', port: 0});
  expect(serveSettings('--listen', '0.0.0.0')).toMatchObject({host: '0.0.0.0', port: 9899});
  expect(serveSettings('--listen', 'localhost')).toMatchObject({host: '127.0.0.1', port: 9899});
  expect(serveSettings('--listen', '[::1]:80')).toMatchObject({host: '::1', port: 80});
  vi.stubEnv('INTERLEAVE_TOKEN', E);
  expect(serveSettings()).toMatchObject({token: E});
  expect(serveSettings('--token', T)).toMatchObject({token: T});
  expect(() => serveSettings('--token', 'a b')).toThrow('--token has characters');
});

test('the server prints its ports as JSON, and serves the page over TCP', async () => {
  const page = await openPage({kind: 'named', name: 'gallery'}, fixtures);
  const settings = serveSettings('--listen', '0', '--json', '--token', T);
  await served(settings, async printed => {
    const {tcp, sctp, quic, https, tcpInUdp, page: told, listens, program: by} = JSON.parse(printed);
    expect(by).toBe(program());
    const fingerprint = expect.stringMatching(/^[\da-f]{64}$/);
    expect(quic).toEqual({address: '127.0.0.1', udpPort: tcp.port + 1, fingerprint});
    expect(https).toMatchObject({port: tcp.port + 1, url: `https://127.0.0.1:${tcp.port + 1}/`});
    const {fingerprint256} = new X509Certificate(https.certificate);
    expect(fingerprint256.replaceAll(':', '').toLowerCase()).toBe(quic.fingerprint);
    expect(tcpInUdp).toEqual({address: '127.0.0.1', udpPort: tcp.port + 2});
    expect(told).toEqual({name: 'gallery', hash: page.hash, objects: page.objects.length});
    expect([tcp.port, sctp.udpPort, sctp.port]).toEqual([tcp.port, tcp.port, 80]);
    expect(listens).toBe(`127.0.0.1:${tcp.port}`);
    for (const {url, body} of page.objects) {
      const got = await fetch(new URL(url, tcp.url), {headers: {authorization: `Bearer ${T}`}});
      const bytes = new Uint8Array(await got.arrayBuffer());
      const shaOf = (of: Uint8Array): string => createHash('sha256').update(of).digest('hex');
      expect(shaOf(bytes)).toBe(shaOf(body ?? new Uint8Array()));
    }
    expect((await fetch(tcp.url)).status).toBe(403);
  });
});

test('the error names the port that is in use, even if it is not the first', async () => {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const {port} = socket.address();
  const context = {fixtures, module: new URL('file:///nowhere.mjs'), signal: new AbortController().signal};
  const served = servePage(serveSettings('--listen', `${port - 1}`), {
    ...context,
    write: async () => undefined,
  });
  await expect(served).rejects.toThrow(`cannot listen on 127.0.0.1, port ${port}: `);
  socket.close();
});

test('the server warns if other machines can reach it, and the warning depends on the token', async () => {
  const warned = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  for (const [args, warning] of [
    [['0'], undefined],
    [['0.0.0.0:0'], 'everybody can read the page'],
    [['0.0.0.0:0', '--token', T], 'whoever has the token can read it'],
  ] as const) {
    warned.mockClear();
    await served(serveSettings('--listen', ...args), async () => undefined);
    const said = warned.mock.calls.join('');
    if (warning === undefined) expect(said).toBe('');
    else expect(said).toContain(warning);
  }
  warned.mockRestore();
});

test('a port in use is bad input', async () => {
  await served(serveSettings('--listen', '0', '--json'), async printed => {
    const {port} = JSON.parse(printed).tcp;
    const context = {fixtures, module: new URL('file:///nowhere.mjs'), signal: new AbortController().signal};
    const other = servePage(serveSettings('--listen', `${port}`), {...context, write: async () => undefined});
    await expect(other).rejects.toThrow(`port ${port}: another program listens there already`);
  });
});
