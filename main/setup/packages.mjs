import {createHash} from 'node:crypto';
import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {isPackage, NPM, root, run} from './command.mjs';
import {readIfThere} from './fingerprint.mjs';
import {once} from './lock.mjs';

/** Installs the npm packages of package-lock.json, unless they are installed already. */
export async function installPackages() {
  if (isPackage) return;
  const hash = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const isInstalled = () => readIfThere(stamp) === hash && existsSync(writtenLast);
  await once(isInstalled, async () => {
    console.log('packages: npm ci');
    const [program, ...args] = NPM;
    const env = {npm_config_loglevel: 'error'}; // otherwise, within `npm --silent`, npm would not print why it fails
    const {code} = await run(program, [...args, 'ci'], {env});
    if (code !== 0) throw new Error(`npm ci ended with exit code ${code}`);
    mkdirSync(dirname(stamp), {recursive: true});
    writeFileSync(stamp, hash);
  });
}

/**
 * File with the hash of the installed package-lock.json. It is in node_modules, so that it is removed together with the
 * packages.
 */
const stamp = join(root, 'node_modules/.cache/interleave/package-lock.sha256');
/**
 * npm's own record of what is installed. npm removes it first and writes it last, so it is missing after an
 * interruption.
 */
const writtenLast = join(root, 'node_modules/.package-lock.json');
