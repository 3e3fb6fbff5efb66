import {existsSync} from 'node:fs';
import {expect, test, vi} from 'vitest';
import {program} from '../../../files/program.ts';
import {CANCELLED} from '../../../media/studio/studio.ts';
import {readArguments} from '../../command.ts';
import {UsageError} from '../../options/usageError.ts';
import {namespacePath} from './namespace.ts';
import {path} from './path.ts';

const canMake = process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/dev/net/tun');
const NAME = `interleave-cli-${process.pid}`;

const pathSettings = (...args: string[]) => readArguments(path, ['--namespace', ...args]);

async function printed(
  args: readonly string[],
  use: (first: string) => Promise<unknown> = async () => undefined,
): Promise<string[]> {
  const end = new AbortController();
  const texts: string[] = [];
  const write = async (text: string): Promise<void> => {
    if (texts.push(text) === 1) void use(text).finally(() => end.abort(CANCELLED));
  };
  await expect(namespacePath(pathSettings(NAME, ...args), {write, signal: end.signal})).rejects.toBe(CANCELLED);
  return texts;
}

test('--namespace needs a valid name, and --listen is the port of the server', () => {
  expect(pathSettings('lossy')).toMatchObject({namespace: 'lossy', port: 9899});
  expect(pathSettings('a_B.9-', '--listen', '80')).toMatchObject({namespace: 'a_B.9-', port: 80});
  for (const [args, why] of [
    [['../x'], '--namespace is ../x: must be'],
    [['.'], '--namespace is .: must be'],
    [[''], '--namespace is empty: must be'],
    [['a b'], '--namespace is a b: must be'],
    [['a'.repeat(65)], 'must be 1 to 64'],
    [['a', '--to', '127.0.0.1:1'], '--to and --namespace exclude each other'],
    [['a', '--listen', '0.0.0.0:9899'], '--listen is 0.0.0.0:9899: with --namespace it must be the server’s port'],
    [['a', '--listen', '0'], '--listen is 0:'],
    [['a', '--listen', '65533'], 'must be at most 65532'],
  ] as const)
    expect(() => pathSettings(...args)).toThrow(why);
});

test('for users other than root, the error says that only root can make a namespace', async () => {
  const getuid = vi.spyOn(process, 'getuid').mockReturnValue(1000);
  const signal = new AbortController().signal;
  const done = namespacePath(pathSettings(NAME), {write: async () => undefined, signal});
  const said = process.platform === 'linux' ? 'only root' : 'network namespaces require Linux';
  await expect(done).rejects.toThrow(UsageError);
  await expect(done).rejects.toThrow(said);
  getuid.mockRestore();
});

test.runIf(canMake)(
  'the path prints where the server has to listen, and at the end the counts of packets',
  async () => {
    const port = `${20_000 + (process.pid % 20_000)}`;
    const [, changed = '', ended = ''] = await printed(
      ['--set', 'path.loss=0.03', '--listen', port, '--json'],
      async first => {
        const {namespace, outside, server, control, path, program: by} = JSON.parse(first);
        expect(by).toBe(program());
        expect(namespace).toBe(NAME);
        expect(path).toMatchObject({loss: 0.03, rttMs: 350});
        expect(server).toBe(`${outside}:${port}`);
        // the control refuses requests without the token
        const init = {method: 'PATCH', headers: {'content-type': 'application/json'}, body: '{"loss": 0.9}'};
        expect((await fetch(control.url, init)).status).toBe(401);
        expect((await fetch(control.url)).status).toBe(401);
        const headers = {'content-type': 'application/json', authorization: `Bearer ${control.token}`};
        await fetch(control.url, {method: 'PATCH', headers, body: '{"loss": 0.5}'});
        const other = pathSettings(NAME, '--listen', `${Number(port) + 1}`);
        const signal = new AbortController().signal;
        await expect(namespacePath(other, {write: async () => undefined, signal})).rejects.toThrow(
          `--namespace ${NAME}: a namespace named ${NAME} exists already`,
        );
      },
    );
    expect(JSON.parse(changed)).toMatchObject({changed: {path: {loss: 0.5}}});
    expect(JSON.parse(ended)).toMatchObject({ended: {counts: {down: {passed: 0, lost: 0}}}});
    const [people = ''] = await printed([]);
    expect(people).toMatch(/reaches this machine \(198\.18\.[\d.]+\) through a path: .*, RTT 350 ms, no loss/);
  },
);
