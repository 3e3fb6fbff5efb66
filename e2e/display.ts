import {type ChildProcess, spawn} from 'node:child_process';

/** Starts an X server and returns the name of its display. */
export function openDisplay(onStart: (child: ChildProcess) => void): Promise<string> {
  const child = spawn('Xvfb', ['-displayfd', '1', '-screen', '0', '1400x900x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onStart(child);
  return new Promise((resolve, reject) => {
    child.stdout.once('data', number => resolve(`:${String(number).trim()}`));
    child.once('exit', () => reject(new Error('Xvfb ended')));
  });
}
