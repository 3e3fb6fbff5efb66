// Runs aioquic_peer.py in its own process. It uses aioquic, an implementation of QUIC and HTTP/3 in Python.
import {type ChildProcess, spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {findAioquic} from '../../../main/setup/aioquic.mjs';

/** The Python interpreter that has aioquic; undefined if there is none. */
export const AIOQUIC_PYTHON = findAioquic();

/** The text that is added to the names of tests; empty unless aioquic is missing. */
export const NO_AIOQUIC =
  AIOQUIC_PYTHON === undefined
    ? ' (skipped: aioquic is missing; npm test tries to install it, and reports if that fails)'
    : '';

export const AIOQUIC_SCRIPT = join(import.meta.dirname, 'aioquic_peer.py');

/**
 * Creates a certificate and its key in a folder, as certificate.der and key.der and also as .pem. @throws Error if
 * aioquic_peer.py fails
 */
export function makeCertificate(folder: string): void {
  const {status} = spawnSync(AIOQUIC_PYTHON ?? '', [AIOQUIC_SCRIPT, 'certificate', folder]);
  if (status !== 0) throw new Error(`aioquic_peer.py certificate ended with ${status}`);
}

export function startAioquic(args: readonly string[]): ChildProcess {
  return spawn(AIOQUIC_PYTHON ?? '', [AIOQUIC_SCRIPT, ...args], {stdio: ['ignore', 'pipe', 'inherit']});
}

/** Waits until an aioquic server listens. Returns its port. */
export async function portOfAioquic(server: ChildProcess): Promise<number> {
  const input = server.stdout as NonNullable<typeof server.stdout>;
  const [line] = (await once(createInterface({input}), 'line')) as [string];
  return Number(/^port (\d+)$/.exec(line)?.[1]);
}
