import {spawn} from 'node:child_process';
import {existsSync} from 'node:fs';
import {homedir} from 'node:os';
import {dirname, isAbsolute, join} from 'node:path';

/** Returns the folder for movies. The environment variable `INTERLEAVE_MOVIES` names another folder. */
export function moviesFolder(): string {
  const home = homedir();
  const usual = ['Videos', 'Movies', 'Downloads'].map(name => join(home, name));
  return process.env['INTERLEAVE_MOVIES'] ?? usual.find(existsSync) ?? home;
}

/**
 * Returns the folder for the user's data (on Linux XDG Base Directory §3). The environment variable `INTERLEAVE_DATA`
 * names another folder. Electron and the web shell use the same folder.
 */
export function userFolder(): string {
  const named = process.env['INTERLEAVE_DATA'];
  return named ?? join(dataFolder(), 'interleave');
}

function dataFolder(): string {
  if (process.platform === 'darwin') return join(homedir(), 'Library/Application Support');
  if (process.platform === 'win32') return process.env['APPDATA'] ?? join(homedir(), 'AppData/Roaming');
  // the specification says to ignore a relative path
  const wanted = process.env['XDG_DATA_HOME'] ?? '';
  return isAbsolute(wanted) ? wanted : join(homedir(), '.local/share');
}

/** Opens the file's folder in the desktop's file manager. Does nothing if there is no file manager. */
export function showFile(path: string): void {
  const [program, ...args] = fileManager(path);
  const child = spawn(program, args, {stdio: 'ignore', detached: true});
  child.on('error', () => undefined);
  child.unref();
}

/** Returns the command line that shows a file or its folder. */
export function fileManager(path: string, platform: string = process.platform): readonly [string, ...string[]] {
  if (platform === 'darwin') return ['open', '-R', path];
  // Explorer takes the option and the path as one argument
  return platform === 'win32' ? ['explorer', `/select,${path}`] : ['xdg-open', dirname(path)];
}
