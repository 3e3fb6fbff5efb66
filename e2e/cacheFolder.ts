import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

/** Before all tests: what they keep, such as curves, is nobody's, and each page of them is measured once. */
export default function setupCacheFolder(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'interleave-tests-cache-'));
  process.env['XDG_CACHE_HOME'] = folder;
  return () => rmSync(folder, {recursive: true, force: true});
}
