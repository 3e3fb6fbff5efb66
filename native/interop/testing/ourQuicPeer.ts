// Runs native/interop/quic_peer in its own process. This program is one end of our QUIC with TLS. Our QUIC is quinn
// with our patches.
import {type ChildProcess, spawn} from 'node:child_process';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {runCargo} from '../../../main/setup/cargo.mjs';
import {root} from '../../../main/setup/command.mjs';

/** An event that a {@link QuicPeer} reports. */
export type QuicEvent =
  | {readonly type: 'port'; readonly port: number}
  | {readonly type: 'connected'}
  | {readonly type: 'data'; readonly stream: number; readonly bytes: Uint8Array}
  | {readonly type: 'finished'; readonly stream: number}
  | {readonly type: 'reset'; readonly stream: number; readonly code: number}
  | {readonly type: 'closed'; readonly reason: string};

/** Builds the program of {@link QuicPeer} with the patches of quinn. This is quick if nothing has changed. */
export async function buildQuicPeer(): Promise<void> {
  const args = ['--quiet', '--locked', '--target-dir', TARGET];
  const {code} = await runCargo(['build', ...args], {manifest: `${FOLDER}/Cargo.toml`});
  if (code !== 0) throw new Error(`cargo build ended with exit code ${code}`);
}

/** One end of our QUIC in its own process, with TLS, over UDP on loopback. */
export class QuicPeer {
  readonly #child: ChildProcess;
  #errors = '';

  private constructor(args: readonly string[]) {
    this.#child = spawn(join(root, TARGET, 'debug/quic_peer'), args, {stdio: 'pipe'});
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#errors += text;
    });
    // The process may end before it has read all commands.
    this.#child.stdin?.on('error', () => {});
  }

  /**
   * Starts a client. `folder` must contain certificate.der. In each direction, every `dropEach`-th datagram is
   * lost. None is lost if `dropEach` is 0.
   */
  static client(folder: string, port: number, dropEach: number): QuicPeer {
    return new QuicPeer(['client', join(folder, 'certificate.der'), `${port}`, `${dropEach}`]);
  }

  /** Starts a server, like {@link QuicPeer.client}. `folder` must also contain key.der. */
  static server(folder: string, dropEach: number): QuicPeer {
    const files = ['certificate.der', 'key.der'].map(name => join(folder, name));
    return new QuicPeer(['server', ...files, `${dropEach}`]);
  }

  /**
   * Yields the events up to the end of the connection. @throws Error with the program's error output if the program
   * fails
   */
  async *events(): AsyncGenerator<QuicEvent> {
    const {stdout} = this.#child;
    if (stdout === null) return;
    const ended = new Promise<number | null>(resolve => this.#child.on('close', resolve));
    for await (const line of createInterface({input: stdout})) yield parseEvent(line);
    const code = await ended;
    if (code !== 0) throw new Error(this.#errors || `quic_peer ended with ${code}`);
  }

  write(stream: number, bytes: Uint8Array, isEnd: boolean): void {
    this.#child.stdin?.write(`write ${stream} ${Buffer.from(bytes).toString('hex')}\n`);
    if (isEnd) this.#child.stdin?.write(`finish ${stream}\n`);
  }

  close(): void {
    this.#child.stdin?.write('close\n');
  }

  kill(): void {
    this.#child.kill();
  }
}

function parseEvent(line: string): QuicEvent {
  const [type = '', first = '', ...rest] = line.split(' ');
  const stream = Number(first);
  if (type === 'port') return {type, port: stream};
  if (type === 'connected') return {type};
  if (type === 'data') return {type, stream, bytes: new Uint8Array(Buffer.from(rest[0] ?? '', 'hex'))};
  if (type === 'finished') return {type, stream};
  if (type === 'reset') return {type, stream, code: Number(rest[0])};
  if (type === 'closed') return {type, reason: [first, ...rest].join(' ')};
  throw new Error(`quic_peer said: ${line}`);
}

const FOLDER = 'native/interop/quic_peer';
const TARGET = 'native/target/interop';
