import {type ChildProcessWithoutNullStreams, type SpawnOptions, spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {chownSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {BUILT} from '../main/setup/bundle.mjs';
import {root} from '../main/setup/command.mjs';

/** A user of this machine other than root, with a home folder. */
export interface OtherUser {
  readonly home: string;
  /** Starts Node as this user with these arguments, for example a script of the repository, which the user can read. */
  run(args: readonly string[], options?: Options): Started;
  /** Does the same as `run`, but in an environment in which no user namespace can be created, as in many containers. */
  runWithoutNamespaces(args: readonly string[], options?: Options): Promise<Started>;
  /** All processes of this user. */
  processes(): readonly UserProcess[];
  close(): void;
}

type Options = Pick<SpawnOptions, 'env'>;
type Started = ChildProcessWithoutNullStreams;

export interface UserProcess {
  readonly pid: number;
  readonly args: readonly string[];
  /** Fields of /proc/PID/status, such as `Seccomp`. */
  readonly status: {readonly [key: string]: string};
  /** The user namespace of the process, for example `user:[4026531837]`. */
  readonly userNamespace: string;
}

/** A user id that probably neither an account nor another run of these tests has. */
const UID = 40_000 + (process.pid % 20_000);
const AS_USER = [`--reuid=${UID}`, `--regid=${UID}`, '--clear-groups'];

/** Why tests cannot run programs as another user; empty if they can. */
export const whyNoOtherUser = refusal();

export function openOtherUser(): OtherUser {
  const home = mkdtempSync(join(tmpdir(), 'interleave-user-'));
  chownSync(home, UID, UID);
  const env = {PATH: process.env['PATH'], HOME: home, TMPDIR: home, [BUILT]: process.env[BUILT]};
  const optionsOf = (options: Options) => ({cwd: home, env: {...env, ...options.env}});
  return {
    home,
    run: (args, options = {}) => spawn('setpriv', [...AS_USER, process.execPath, ...args], optionsOf(options)),
    runWithoutNamespaces: async (args, options = {}) => {
      // a user namespace has its own limit on nested namespaces (namespaces(7), user/max_user_namespaces)
      const script = 'read go; echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"';
      const command = ['sh', '-c', script, 'sh', 'setpriv', ...AS_USER, process.execPath, ...args];
      const child = spawn('unshare', ['--user', '--keep-caps', ...command], optionsOf(options));
      await isInOwnNamespace(child.pid ?? 0);
      for (const map of ['uid_map', 'gid_map']) writeFileSync(`/proc/${child.pid}/${map}`, `0 0 ${UID + 1}`);
      child.stdin.end('\n');
      return child;
    },
    processes: () =>
      readdirSync('/proc')
        .filter(name => /^\d+$/.test(name))
        .flatMap(name => describe(Number(name)) ?? []),
    close: () => rmSync(home, {recursive: true, force: true}),
  };
}

/** Interrupts a program. Resolves when the program has ended. */
export async function interrupt(child: Started): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGINT');
  await once(child, 'exit');
}

/** Describes a process. Undefined if the process belongs to another user or has ended. */
function describe(pid: number): UserProcess | undefined {
  try {
    const status = Object.fromEntries(
      [...readFileSync(`/proc/${pid}/status`, 'utf8').matchAll(/^(\w+):\t(.*)$/gm)].map(([, key, value]) => [
        key,
        value,
      ]),
    );
    if (status['Uid']?.split('\t')[0] !== String(UID)) return undefined;
    // if Chromium's zygote has forked the process, spaces separate its arguments
    const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split(/[\0 ]/);
    return {pid, args, status, userNamespace: readlinkSync(`/proc/${pid}/ns/user`)};
  } catch {
    return undefined;
  }
}

async function isInOwnNamespace(pid: number): Promise<void> {
  while (readlinkSync(`/proc/${pid}/ns/user`) === readlinkSync('/proc/self/ns/user')) {
    await new Promise(setImmediate);
  }
}

function refusal(): string {
  if (process.platform !== 'linux') return ' (skipped: another user is tested only on Linux)';
  if (process.getuid?.() !== 0) return ' (skipped: only root can run programs as another user)';
  const reading = [
    process.execPath,
    '-e',
    `require('node:fs').readFileSync(${JSON.stringify(`${root}/package.json`)})`,
  ];
  const {status, error} = spawnSync('setpriv', [...AS_USER, ...reading], {cwd: '/'});
  if (error !== undefined) return ' (skipped: there is no setpriv, which util-linux contains)';
  return status === 0 ? '' : ' (skipped: another user may not read Node or this repository)';
}
