import {copyFileSync, renameSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {runCargo} from './cargo.mjs';
import {root} from './command.mjs';

/** Builds the addon, where cargo finds it out of date, and copies it in place. */
export async function buildAddon() {
  console.log('addon: cargo build --release');
  const {code} = await runCargo(['build', '--quiet', '--release', '--package', 'addon']);
  if (code !== 0) throw new Error(`cargo build ended with exit code ${code}`);
  const library = process.platform === 'darwin' ? 'libaddon.dylib' : 'libaddon.so';
  const built = join(root, 'native/target/release', library);
  const placed = join(root, 'native/addon/index.node');
  if (modified(built) <= modified(placed)) return;
  // renamed into place: a process that has the old one mapped would die of an overwritten file
  copyFileSync(built, `${placed}.new`);
  renameSync(`${placed}.new`, placed);
}

function modified(path) {
  return statSync(path, {throwIfNoEntry: false})?.mtimeMs ?? 0;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await buildAddon();
