import {buildAddon} from './addon.mjs';
import {bundleMain} from './bundle.mjs';
import {installPackages} from './packages.mjs';
import {installDebianPackages} from './system.mjs';

/**
 * Installs and builds what is needed to load pages in real browsers.
 *
 * @param {readonly string[] | null} packages Debian packages with the browsers, the servers and their tools. Null if no
 *   page is loaded, because no such package is needed then.
 */
export async function setUpRealLoads(packages) {
  if (packages !== null && (process.platform !== 'linux' || process.getuid?.() !== 0)) {
    throw new Error('real browsers load pages only on Linux and only for root, because they need a network namespace');
  }
  await installPackages();
  await buildAddon();
  await bundleMain();
  if (packages !== null) await installDebianPackages(packages);
}
