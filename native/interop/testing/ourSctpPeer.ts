// Runs native/netsim/examples/sctp_udp_peer.rs in its own process. It is one end of our SCTP over UDP, in real time.
import {type ChildProcess, spawn} from 'node:child_process';
import {join} from 'node:path';
import {runCargo} from '../../../main/setup/cargo.mjs';

interface OurOptions {
  role: 'client' | 'server';
  /** The UDP port of the peer, for a client. */
  port?: number;
  streams: number;
  /** How many messages each stream carries. */
  messages: number;
  /** Share of packets that are lost in each direction until all messages are exchanged, 0–1. See `lossless`. */
  loss: number;
  /**
   * `first`, the default: no packet is lost until every stream has exchanged its first message. `none`: packets may be
   * lost from the beginning.
   */
  lossless?: 'none' | 'first';
  /** Which end shuts the association down; `us` by default. */
  closer?: 'us' | 'them';
  /** The kind of chunks for messages; `data` by default. */
  chunks?: 'data' | 'idata';
}

/** Our end of an association in its own process, over UDP on loopback. */
interface OurPeer {
  /** The UDP port of the process. */
  port: Promise<number>;
  /** Resolves to the last line of output if the process succeeds. Otherwise rejects with its error output. */
  done: Promise<string>;
  kill(): void;
}

/** Builds the program in release mode, like the addon and the Rust tests, so that most crates are already built. */
export async function buildOurPeer(): Promise<void> {
  const {code} = await runCargo(['build', '--quiet', '--release', '--workspace', '--example', name], {toStderr: true});
  if (code !== 0) throw new Error(`cargo build ended with exit code ${code}`);
}

export function startOurPeer({role, port = 0, ...options}: OurOptions): OurPeer {
  const args = [role, ...Object.entries({port, ...options}).flatMap(([key, value]) => [`--${key}`, `${value}`])];
  const child = spawn(join(root, 'native/target/release/examples', name), args, {cwd: root});
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

const root = join(import.meta.dirname, '../../..');
const name = 'sctp_udp_peer';
