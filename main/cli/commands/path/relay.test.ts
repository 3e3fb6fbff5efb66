import {expect, test, vi} from 'vitest';
import {program} from '../../../files/program.ts';
import {CANCELLED} from '../../../media/studio/studio.ts';
import {readArguments} from '../../command.ts';
import {main} from '../../main.ts';
import {path} from './path.ts';
import {relayPath} from './relay.ts';
import {checkedSetting, scenarioOfPath} from './settings.ts';

const T = 'token-at-command-line';

const pathSettings = (...args: string[]) => readArguments(path, args);

/**
 * Runs a path, calls `use` with the first text that the path prints, and stops the path when `use` has finished.
 * @returns everything that was printed
 */
async function printed(
  args: readonly string[],
  use: (first: string) => Promise<unknown> = async () => undefined,
): Promise<string[]> {
  const end = new AbortController();
  const texts: string[] = [];
  const write = async (text: string): Promise<void> => {
    if (texts.push(text) === 1) void use(text).finally(() => end.abort(CANCELLED));
  };
  const settings = pathSettings('--listen', '0', ...args);
  await expect(relayPath(settings, {write, signal: end.signal})).rejects.toBe(CANCELLED);
  return texts;
}

test('without --listen the path listens on loopback, on another port than the default port of a server', () => {
  vi.stubEnv('INTERLEAVE_TOKEN', undefined);
  const usual = {host: '127.0.0.1', port: 9909, to: '127.0.0.1:9899', token: undefined};
  expect(pathSettings()).toMatchObject(usual);
  expect(pathSettings('--listen', 'localhost:1')).toMatchObject({...usual, port: 1});
  expect(pathSettings()).toMatchObject({isSameLosses: false});
  expect(pathSettings('--same-losses')).toMatchObject({...usual, isSameLosses: true});
  expect(pathSettings('--to', '[::1]:80')).toMatchObject({...usual, to: '[::1]:80'});
  expect(() => pathSettings('--listen', '0.0.0.0')).toThrow('--token is missing');
  expect(pathSettings('--listen', '0.0.0.0', '--token', T)).toMatchObject({host: '0.0.0.0', token: T});
  vi.unstubAllEnvs();
});

test('the path has the settings and the seed of a scenario, changed by --set and --seed', () => {
  const {path, seed} = scenarioOfPath(
    pathSettings('--scenario', 'n07-movie', '--set', 'path.loss.up=0.5', '--set', 'path.mtuBytes=576', '--seed', '7'),
  );
  expect(path).toMatchObject({mtuBytes: 576, loss: {up: {rate: 0.5}}});
  expect(path.loss.down).not.toEqual(path.loss.up);
  expect(seed).toBe(7);
});

test('a scenario is refused if a pane has its own list of dropped packets', () => {
  const settings = {...pathSettings(), overrides: ['panes[0].drop.down.packets=[3]']};
  expect(() => scenarioOfPath(settings)).toThrow(
    'panes[0].drop is {"down":{"packets":[3]}}: must be absent, because a path that carries real packets has no panes',
  );
});

test('the parts of an emulated link can be set, and so can other traffic and timed changes', () => {
  const overrides = [
    'path.queue={"kind": "codel"}',
    'path.jitter=5',
    'path.down.trace="lte-driving"',
    'path.traffic=[{"kind": "tcp", "direction": "up"}]',
    'changes=[{"atMs": 5000, "path": {"handover": true, "rttMs": 80}}]',
  ].map(each => {
    expect(checkedSetting(each)).toBe(each);
    return each;
  });
  const {path, changes} = scenarioOfPath({...pathSettings(), overrides});
  expect(path).toMatchObject({
    queue: {down: {kind: 'codel'}},
    jitter: {up: {ms: 5}},
    down: {trace: {name: 'lte-driving'}},
    traffic: [{kind: 'tcp', direction: 'up', congestion: 'cubic'}],
  });
  expect(changes).toMatchObject([{atMs: 5000, path: {handover: {noticeMs: 0}, rttMs: {down: 80, up: 80}}}]);
});

test('a path that is too fast for other traffic is refused, at the start and in changes', () => {
  const traffic = 'path.traffic=[{"kind": "tcp", "direction": "up"}]';
  for (const fast of ['path.rateBps=1e9', 'changes=[{"atMs": 5, "path": {"rateBps": {"up": 1e9}}}]'])
    expect(() => scenarioOfPath({...pathSettings(), overrides: [traffic, fast]})).toThrow(
      'is 1000000000: must be at most 500000000 with path.traffic, which is computed in real time',
    );
});

test('settings that a path does not have, and wrong values, are refused with the reason', () => {
  for (const [args, why] of [
    [['--set', 'panes[0].streams=2'], 'the settings of a path are path.rateBps'],
    [['--set', 'path.live="127.0.0.1:1"'], 'the settings of a path are path.rateBps'],
    [['--set', 'path.__proto__=1'], 'the settings of a path are path.rateBps'],
    [
      ['--set', 'path={"live": "127.0.0.1:1"}'],
      'path.live is 127.0.0.1:1: must be absent, because --to names the server',
    ],
    [['--set', 'path.loss=2'], 'path.loss'],
    [['--seed', '-1'], 'seed'],
    [['--seed', 'x'], 'seed'],
    [['--listen', '65533'], 'must be at most 65532'],
    [['--listen', 'example.com:1'], '--listen is example.com:1'],
    [['--to', '127.0.0.1'], '--to is 127.0.0.1: must be like'],
    [['--to', '127.0.0.1:65533'], 'a port of 1 to 65532'],
    [['--same-losses', '--namespace', 'a'], '--same-losses and --namespace exclude each other'],
    [['--token', 'a b'], '--token has characters'],
    [['--page', 'gallery'], "Unknown option '--page'"],
  ] as const) {
    expect(() => scenarioOfPath(pathSettings(...args))).toThrow(why);
  }
});

test('the path prints what it relays, each change, and at the end the counts of packets', async () => {
  const texts = await printed(['--set', 'path.loss=0.03', '--json'], async first => {
    const {listens, relays, control, path, to, program: by} = JSON.parse(first);
    expect(by).toBe(program());
    const port = Number(listens.split(':')[1]);
    expect(to).toBe('127.0.0.1:9899');
    expect(path).toMatchObject({loss: 0.03, rttMs: 350});
    expect(relays).toEqual([
      {carries: 'sctp', udpPort: port, to: '127.0.0.1:9899'},
      {carries: 'quic', udpPort: port + 1, to: '127.0.0.1:9900'},
      {carries: 'tcp', udpPort: port + 2, to: '127.0.0.1:9901'},
    ]);
    const headers = {'content-type': 'application/json'};
    const changed = await fetch(control.url, {method: 'PATCH', headers, body: '{"loss": 0.5}'});
    expect([changed.status, await changed.json()]).toEqual([200, expect.objectContaining({seed: 1})]);
  });
  const [, changed = '', ended = ''] = texts;
  expect(JSON.parse(changed)).toMatchObject({changed: {path: {loss: 0.5}}});
  expect(JSON.parse(ended)).toMatchObject({ended: {clients: 0, counts: {down: {passed: 0, lost: 0}}}});
  expect(texts.length).toBe(3);
});

test('without --json the path prints the same as text for people', async () => {
  const [first = '', last = ''] = await printed(['--scenario', 'n07-movie']);
  expect(first).toMatch(
    /is a path to 127\.0\.0\.1:9899: .*, RTT .* ms, .* % of packets lost in both directions, seed \d+\n {2}HTTP over SCTP {5}UDP port/,
  );
  expect(first).toContain("the kernel's TCP   is not relayed: load with path.tcp=udp, or use --namespace\n");
  expect(last).toContain('down  0 packets passed, 0 were lost');
});

test('the path warns if other machines can reach it, and ports in use are bad input', async () => {
  const warned = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  await printed(['--listen', '0.0.0.0:0', '--token', T, '--json'], async first => {
    expect(warned.mock.calls.join('')).toContain('whoever has the token can change it');
    warned.mockClear();
    const port = JSON.parse(first).listens.split(':')[1];
    const code = await main(['path', '--listen', port], {root: '.', buildRenderer: async () => undefined});
    expect(code).toBe(2);
    expect(warned.mock.calls.join('')).toContain(
      `ports ${port} to ${Number(port) + 3}: another program listens there already`,
    );
  });
  warned.mockRestore();
});
