import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

/**
 * Gives all tests a common cache folder of their own. So each page's curves are measured once, and no user's cache is
 * used.
 */
export default function setupCacheFolder(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'interleave-tests-cache-'));
  process.env['XDG_CACHE_HOME'] = folder;
  return () => rmSync(folder, {recursive: true, force: true});
}
