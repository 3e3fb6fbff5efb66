import {type ChildProcess, execFileSync, spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {mkdirSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {setTimeout as sleep} from 'node:timers/promises';

export interface PathOfCell {
  readonly rateBps: number;
  readonly rttMs: number;
  readonly loss: number;
}

/** A path whose losses can differ between up and down, and which can have a policer. */
export interface FaultyPath extends Omit<PathOfCell, 'loss'> {
  readonly loss: number | {readonly down: number; readonly up: number};
  /** The policer of the way down. Null removes the policer that an earlier load set. */
  readonly policer?: {readonly down: {readonly rateBps: number; readonly burstBytes: number} | null};
}

/**
 * A path with two rates. It loses exactly the listed packets from the server. Their numbers count the server's packets
 * with data, from 0.
 */
export interface UnequalPath {
  readonly rateBps: {readonly down: number; readonly up: number};
  readonly rttMs: number;
  readonly loss: {readonly down: {readonly packets: readonly number[]; readonly applies: 'data'}; readonly up: 0};
}

/**
 * A network namespace whose packets take the emulated path. A process of `interleave path --namespace` emulates the
 * path, with real-time priority.
 */
export interface RealPath {
  readonly namespace: string;
  /** The address at which the server listens. */
  readonly outside: string;
  /**
   * Sets the path, begins the random losses of this seed from the start, and makes the kernel forget its measurements
   * of earlier connections.
   */
  set(path: FaultyPath | UnequalPath, seed: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts the path. All `hosts` lead to the server. On both sides of the path, the kernel's TCP uses the congestion
 * control `congestion`. Other connections of this machine keep theirs.
 */
export async function startRealPath(name: string, hosts: readonly string[], congestion: string): Promise<RealPath> {
  const program = join(import.meta.dirname, '../../main/cli/interleave.mjs');
  const args = ['-f', '5', process.execPath, program, 'path', '--namespace', name, '--listen', '9840', '--json'];
  const child = spawn('chrt', args, {stdio: ['ignore', 'pipe', 'inherit']});
  const lines = createInterface({input: child.stdout});
  const [first] = (await Promise.race([once(lines, 'line'), once(child, 'exit')])) as [string | number];
  if (typeof first !== 'string') throw new Error('the path does not start: interleave path --namespace has ended');
  const {inside, outside, control} = JSON.parse(first) as Record<'inside' | 'outside', string> & {control: Control};
  lines.on('line', () => undefined);
  // ip-netns(8) mounts the files in this folder over those of the system
  const files = join('/etc/netns', name);
  mkdirSync(files, {recursive: true});
  writeFileSync(join(files, 'hosts'), `127.0.0.1 localhost\n${outside} ${hosts.join(' ')}\n`);
  setCongestion([], outside, congestion);
  setCongestion(['-n', name], inside, congestion);
  return {
    namespace: name,
    outside,
    set: async (path, seed) => {
      spawnSync('ip', ['tcp_metrics', 'flush', inside]);
      spawnSync('ip', ['-n', name, 'tcp_metrics', 'flush']);
      const headers = {'content-type': 'application/json', authorization: `Bearer ${control.token}`};
      const answer = await fetch(control.url, {method: 'PATCH', headers, body: JSON.stringify({...path, seed})});
      if (!answer.ok) throw new Error(`the path refuses ${JSON.stringify(path)}: ${await answer.text()}`);
    },
    close: async () => {
      rmSync(files, {recursive: true, force: true});
      await end(child);
    },
  };
}

interface Control {
  readonly url: string;
  readonly token: string;
}

/**
 * Ends the browser `child` and all other processes in its namespace, and removes the browser's folder. First `ask` asks
 * the browser to end, for which it has ten seconds.
 */
export async function endBrowser(
  child: ChildProcess,
  namespace: string,
  folder: string,
  ask: () => void,
): Promise<void> {
  const ended = child.exitCode === null ? once(child, 'exit') : undefined;
  // Without this, two processes of Chromium once waited in the kernel for each other to exit, in a loop and with
  // real-time priority. They kept both processors busy for ten minutes, and could not be killed.
  for (const pid of processesIn(namespace)) spawnSync('chrt', ['--other', '--all-tasks', '--pid', '0', pid]);
  ask();
  await Promise.race([ended, sleep(10_000)]);
  for (const pid of processesIn(namespace)) spawnSync('kill', ['-KILL', pid]);
  rmSync(folder, {recursive: true, force: true, maxRetries: 5, retryDelay: 200});
}

function processesIn(namespace: string): readonly string[] {
  const {stdout} = spawnSync('ip', ['netns', 'pids', namespace], {encoding: 'utf8'});
  return (stdout ?? '').split('\n').filter(Boolean);
}

/** Sets the congestion control of the route over the interface that has this address (ip-route(8)). */
function setCongestion(inNamespace: readonly string[], address: string, congestion: string): void {
  const ip = (...args: readonly string[]): string => execFileSync('ip', [...inNamespace, ...args], {encoding: 'utf8'});
  const line = ip('-o', '-4', 'addr')
    .split('\n')
    .find(each => each.includes(` ${address}/`));
  const [, device = ''] = line?.split(/\s+/) ?? [];
  const [network = ''] = ip('-4', 'route', 'show', 'dev', device).split(/\s/);
  const route = `${network} dev ${device} proto kernel scope link src ${address} congctl ${congestion}`;
  ip('route', 'change', ...route.split(' '));
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGINT');
  await ended;
}
