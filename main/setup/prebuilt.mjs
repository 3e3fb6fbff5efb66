// npm run prebuilt -- --out FOLDER: makes the npm package with the prebuilt addon of this platform, in
// FOLDER/interleave-PLATFORM. With --platform and --addon, it makes the package from an addon that another machine or a
// cross compiler built. native/addon/prebuilts.mjs lists the platforms.
import './node.mjs';
import {spawnSync} from 'node:child_process';
import {copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {parseArgs} from 'node:util';
import {PREBUILTS, platformOf, prebuiltFile, prebuiltName} from '../../native/addon/prebuilts.mjs';
import {addonSources, builtAddon} from './addon.mjs';
import {inOneLine, root} from './command.mjs';
import {noticesWithTexts, shippedPackages} from './notices.mjs';

/**
 * Makes the folder of a package with a prebuilt addon, from which `npm pack` and `npm publish` make the package.
 *
 * @param {string} out the folder in which the folder of the package is made
 * @param {{platform?: string | undefined, addon?: string | undefined}} [options] `addon` is the path of an addon that
 * is already built. Without it, the addon is built for this platform.
 * @returns {Promise<string>} the folder of the package
 */
export async function makePrebuilt(out, {platform = platformOf(), addon} = {}) {
  const folder = join(out, prebuiltName(platform));
  const manifest = prebuiltManifest(platform);
  if (addon === undefined && platform !== platformOf()) {
    throw new Error(`--platform ${platform} needs --addon FILE, because this machine is ${platformOf()}`);
  }
  if (addon !== undefined && !existsSync(addon)) throw new Error(`there is no ${addon}`);
  const built = addon ?? (await builtAddon());
  rmSync(folder, {recursive: true, force: true});
  mkdirSync(folder, {recursive: true});
  const file = join(folder, prebuiltFile(platform));
  copyFileSync(built, file);
  if (platform === platformOf()) stripSymbols(file);
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  writeFileSync(join(folder, 'README.md'), readme(platform));
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  const crates = (await shippedPackages()).filter(({from}) => from === 'crates.io');
  writeFileSync(join(folder, 'THIRD_PARTY_NOTICES.md'), noticesWithTexts(crates));
  return folder;
}

/**
 * Returns the package.json of a package with a prebuilt addon. npm installs the package only if `os`, `cpu` and `libc`
 * fit. `sources` is the hash of the Rust sources here, from which the addon must have been built.
 *
 * @param {string} platform
 */
export function prebuiltManifest(platform) {
  const known = PREBUILTS.find(each => each.platform === platform);
  if (known === undefined) {
    const names = PREBUILTS.map(each => each.platform).join(', ');
    throw new Error(`no prebuilt addon is made for ${platform}: must be one of ${names}`);
  }
  const {version, license, engines} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return {
    name: prebuiltName(platform),
    version,
    description: `The native addon of Interleave for ${platform}`,
    license,
    main: prebuiltFile(platform),
    files: [prebuiltFile(platform), 'THIRD_PARTY_NOTICES.md'],
    engines,
    os: [known.os],
    cpu: [known.cpu],
    ...(known.libc === undefined ? {} : {libc: [known.libc]}),
    sources: addonSources(),
  };
}

/**
 * Removes the symbols that only debuggers need, which are five sixths of the file. Windows keeps them in a separate
 * file. If there is no `strip`, the file stays as it is.
 *
 * @param {string} file
 */
function stripSymbols(file) {
  if (process.platform === 'win32') return;
  const args = process.platform === 'darwin' ? ['-x', file] : ['--strip-unneeded', file];
  const {status, error, stderr} = spawnSync('strip', args, {encoding: 'utf8'});
  if (status !== 0) console.error(`prebuilt: the addon keeps its symbols: ${error?.message ?? stderr.trim()}`);
}

/** @param {string} platform */
function readme(platform) {
  return `# ${prebuiltName(platform)}

This package contains the native addon of Interleave for ${platform}, and nothing else. The package \`interleave\` installs it as an optional dependency.
`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await inOneLine(async () => {
    const options = /** @type {const} */ ({
      out: {type: 'string'},
      platform: {type: 'string'},
      addon: {type: 'string'},
    });
    const {out, ...others} = parseArgs({options}).values;
    if (out === undefined) throw new Error('--out is missing: npm run prebuilt -- --out FOLDER');
    console.log(await makePrebuilt(out, others));
  });
}
