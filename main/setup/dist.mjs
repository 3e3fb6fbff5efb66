// npm run dist: makes this system's installers in dist/installers. With --dir it makes only the folder that they
// install. ELECTRON_OVERRIDE_DIST_PATH names an unpacked Electron to use instead of downloading one.
import './node.mjs';
import {join} from 'node:path';
import {buildAddon} from './addon.mjs';
import {bundleMain, bundleRenderer} from './bundle.mjs';
import {inOneLine, root} from './command.mjs';
import {installPackages} from './packages.mjs';

const SYSTEMS = /** @type {const} */ ({linux: 'linux', darwin: 'mac', win32: 'windows'});

await inOneLine(async () => {
  const unknown = process.argv.slice(2).find(each => each !== '--dir');
  if (unknown !== undefined) throw new Error(`unknown option ${unknown}: the only option is --dir`);
  const system = SYSTEMS[/** @type {keyof typeof SYSTEMS} */ (process.platform)];
  if (system === undefined) throw new Error(`there are no installers for ${process.platform}`);
  await installPackages();
  await buildAddon();
  await bundleMain();
  await bundleRenderer();
  // these files import packages that may have been installed just now
  const [{stage}, {makeInstallers}] = await Promise.all([
    import('./installers/stage.mjs'),
    import('./installers/make.mjs'),
  ]);
  const app = join(root, 'dist/installers/app');
  await stage(app);
  const made = await makeInstallers({
    app,
    out: join(root, 'dist/installers'),
    isFolderOnly: process.argv.includes('--dir'),
    system,
    electron: process.env.ELECTRON_OVERRIDE_DIST_PATH,
  });
  for (const path of made) console.log(path);
});
