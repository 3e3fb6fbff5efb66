import {type ChildProcess, spawn} from 'node:child_process';
import {join} from 'node:path';
import {runCargo} from '../../main/setup/cargo.mjs';

interface OurOptions {
  role: 'client' | 'server';
  /** The peer's UDP port, for a client. */
  port?: number;
  streams: number;
  /** Per stream. */
  messages: number;
  /** Of packets, each way, 0–1. */
  loss: number;
  /** What is never lost: each stream's first message (the usual), or nothing. */
  lossless?: 'none' | 'first';
  /** Who shuts down. */
  closer?: 'us' | 'them';
  /** What is offered; `data` if absent. */
  chunks?: 'data' | 'idata';
}

/** Our association in a process of its own, over UDP on loopback. */
interface OurPeer {
  /** Its UDP port. */
  port: Promise<number>;
  /** Its last line when it ended well; otherwise rejects with what it said. */
  done: Promise<string>;
  kill(): void;
}

/** Builds the peer as `cargo test` does, which has left all that it is made of. */
export async function buildOurPeer(): Promise<void> {
  const {code} = await runCargo(['build', '--quiet', '--workspace', '--example', name], {toStderr: true});
  if (code !== 0) throw new Error(`cargo build ended with exit code ${code}`);
}

export function startOurPeer({role, port = 0, ...options}: OurOptions): OurPeer {
  const args = [role, ...Object.entries({port, ...options}).flatMap(([key, value]) => [`--${key}`, `${value}`])];
  const child = spawn(join(root, 'native/target/debug/examples', name), args, {cwd: root});
  const output = collect(child);
  const done = new Promise<string>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', code => {
      const last = output.stdout.trimEnd().split('\n').at(-1) ?? '';
      if (code === 0) resolve(last);
      else reject(new Error(output.stderr || `ended with ${code}`));
    });
  });
  const portLine = new Promise<number>((resolve, reject) => {
    child.stdout?.on('data', () => {
      const match = /^port (\d+)$/m.exec(output.stdout);
      if (match) resolve(Number(match[1]));
    });
    done.catch(reject);
  });
  return {port: portLine, done, kill: () => child.kill()};
}

function collect(child: ChildProcess): {stdout: string; stderr: string} {
  const output = {stdout: '', stderr: ''};
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  return output;
}

const root = join(import.meta.dirname, '../..');
const name = 'sctp_udp_peer';
