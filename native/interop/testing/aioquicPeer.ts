// Runs aioquic (a QUIC and HTTP/3 stack in Python) as a program of its own: aioquic_peer.py.
import {type ChildProcess, spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {findAioquic} from '../../../main/setup/aioquic.mjs';

/** The Python interpreter that has aioquic; undefined if none has. */
export const AIOQUIC_PYTHON = findAioquic();

/** What a test's name says if aioquic is missing. */
export const NO_AIOQUIC =
  AIOQUIC_PYTHON === undefined ? ' (skipped: npm test installs aioquic, and says so if it cannot)' : '';

export const AIOQUIC_SCRIPT = join(import.meta.dirname, 'aioquic_peer.py');

/** Makes certificate.der, key.der and the same as .pem in a folder. @throws Error if aioquic cannot. */
export function makeCertificate(folder: string): void {
  const {status} = spawnSync(AIOQUIC_PYTHON ?? '', [AIOQUIC_SCRIPT, 'certificate', folder]);
  if (status !== 0) throw new Error(`aioquic_peer.py certificate ended with ${status}`);
}

export function startAioquic(args: readonly string[]): ChildProcess {
  return spawn(AIOQUIC_PYTHON ?? '', [AIOQUIC_SCRIPT, ...args], {stdio: ['ignore', 'pipe', 'inherit']});
}

/** The port that an aioquic server prints when it listens. */
export async function portOfAioquic(server: ChildProcess): Promise<number> {
  const input = server.stdout as NonNullable<typeof server.stdout>;
  const [line] = (await once(createInterface({input}), 'line')) as [string];
  return Number(/^port (\d+)$/.exec(line)?.[1]);
}
