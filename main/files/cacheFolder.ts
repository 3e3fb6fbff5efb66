import {homedir} from 'node:os';
import {join} from 'node:path';

/**
 * Folder for files that the program can make again. It is where the platform keeps caches, unless `XDG_CACHE_HOME`
 * names another place (XDG Base Directory 0.8).
 */
export function cacheFolder(kind: 'pages' | 'pictures' | 'quality'): string {
  const {XDG_CACHE_HOME, LOCALAPPDATA} = process.env;
  const usual: {readonly [platform: string]: string} = {
    darwin: join(homedir(), 'Library/Caches'),
    win32: LOCALAPPDATA ?? join(homedir(), 'AppData/Local'),
  };
  const folder = XDG_CACHE_HOME || (usual[process.platform] ?? join(homedir(), '.cache'));
  return join(folder, 'interleave', kind);
}
