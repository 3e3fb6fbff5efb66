// npm runs this file before and after `npm pack` and `npm publish`.
//
// The package contains what Node runs: the bundles of dist/, not the TypeScript, because Node 20 cannot run TypeScript,
// and later versions refuse to run it below node_modules. It also contains the Rust sources, from which the addon can
// be built where no prebuilt addon fits.
//
// While npm packs, three files have other contents: package.json, main/files/commit.txt and THIRD_PARTY_NOTICES.md.
// Afterwards they get their original contents back.
import './node.mjs';
import {execFileSync} from 'node:child_process';
import {mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {PREBUILTS, prebuiltName} from '../../native/addon/prebuilts.mjs';
import {bundleMain, bundleRenderer, EXTERNAL} from './bundle.mjs';
import {inOneLine, root} from './command.mjs';
import {NOTICES, notices, noticesWithTexts, shippedPackages} from './notices.mjs';

/**
 * @typedef {{version: string, scripts: Record<string, string>, dependencies: Record<string, string>,
 *   devDependencies: Record<string, string>}} Manifest
 */

/**
 * Returns the package.json of the package. Its dependencies are the packages that are not bundled, and the prebuilt
 * addons of the same version. The prebuilt addons are optional, because at most one of them fits. The repository's own
 * package.json does not name them, because its lockfile would have to name packages that are not published yet.
 *
 * @param {Manifest} manifest the repository's package.json
 */
export function packedManifest({devDependencies: _, scripts: {start = ''}, ...manifest}) {
  const {version, dependencies} = manifest;
  return {
    ...manifest,
    scripts: {start},
    dependencies: Object.fromEntries(Object.entries(dependencies).filter(([name]) => EXTERNAL.includes(name))),
    optionalDependencies: Object.fromEntries(PREBUILTS.map(({platform}) => [prebuiltName(platform), version])),
  };
}

async function before() {
  await bundleMain();
  await bundleRenderer();
  const texts = noticesWithTexts(await shippedPackages());
  const text = readFileSync(MANIFEST, 'utf8');
  // if an earlier run was interrupted, package.json may still have the content of the package
  const isPacked = JSON.parse(text).devDependencies === undefined;
  mkdirSync(join(KEPT, '..'), {recursive: true});
  if (!isPacked) writeFileSync(KEPT, text);
  const manifest = JSON.parse(isPacked ? readFileSync(KEPT, 'utf8') : text);
  writeFileSync(MANIFEST, `${JSON.stringify(packedManifest(manifest), undefined, 2)}\n`);
  // a package contains no Git repository, so a file in it names the commit (main/files/program.ts)
  writeFileSync(COMMIT, execFileSync('git', ['rev-parse', 'HEAD'], {cwd: root, encoding: 'utf8'}));
  writeFileSync(NOTICES, texts);
}

async function after() {
  writeFileSync(MANIFEST, readFileSync(KEPT));
  rmSync(KEPT);
  writeFileSync(COMMIT, '$Format:%H$\n');
  writeFileSync(NOTICES, notices(await shippedPackages()));
}

const MANIFEST = join(root, 'package.json');
/** The original package.json while npm packs. */
const KEPT = join(root, '.cache/package.json');
const COMMIT = join(root, 'main/files/commit.txt');

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  await inOneLine(process.argv[2] === 'before' ? before : after);
