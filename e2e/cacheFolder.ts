import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

/**
 * Sets a cache folder that all tests of a run share. The quality curves of each page are therefore measured once, and
 * the user's cache is not used.
 */
export default function setupCacheFolder(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'interleave-tests-cache-'));
  process.env['XDG_CACHE_HOME'] = folder;
  return () => rmSync(folder, {recursive: true, force: true});
}
