import {spawn} from 'node:child_process';
import {existsSync} from 'node:fs';
import {homedir} from 'node:os';
import {dirname, join} from 'node:path';

/** Where a user looks for movies; `INTERLEAVE_MOVIES` names another folder. */
export function moviesFolder(): string {
  const home = homedir();
  const usual = ['Videos', 'Movies', 'Downloads'].map(name => join(home, name));
  return process.env['INTERLEAVE_MOVIES'] ?? usual.find(existsSync) ?? home;
}

/** Opens the file's folder in the desktop's file manager; where there is none, nothing happens. */
export function showFile(path: string): void {
  const [program, args] =
    process.platform === 'darwin' ? ['open', ['-R', path]] : ['xdg-open', [dirname(path)]];
  const child = spawn(program, args as string[], {stdio: 'ignore', detached: true});
  child.on('error', () => undefined);
  child.unref();
}
