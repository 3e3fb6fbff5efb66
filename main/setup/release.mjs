// npm run release -- [--version 0.2.0] [--out FOLDER] [--addons FOLDER] [--dry-run]: makes a release.
//
// The commit that raises the version, its tag, and the artefacts are made in a clone in a temporary folder. The
// artefacts are written to the folder of --out; without --out there are none. Only when everything is complete, commit
// and tag are fetched into this repository, so a release that fails does not change it. With --dry-run nothing is
// fetched. Nothing is pushed or published.
import './node.mjs';
import {execFileSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {basename, join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {parseArgs} from 'node:util';
import {inOneLine, NPM, root} from './command.mjs';
import {isOlder} from './node.mjs';

/**
 * The files that contain the version, and for each a function that replaces the version `from` by `to`. In Cargo.lock,
 * our own crates are the entries without a source.
 * @type {readonly {path: string, raise: (text: string, from: string, to: string) => string}[]}
 */
const VERSIONED = [
  {path: 'package.json', raise: (text, from, to) => text.replace(`"version": "${from}"`, `"version": "${to}"`)},
  {path: 'package-lock.json', raise: raiseLock},
  {path: 'native/Cargo.toml', raise: (text, from, to) => text.replace(`\nversion = "${from}"`, `\nversion = "${to}"`)},
  {path: 'native/Cargo.lock', raise: raiseCargoLock},
  {path: 'CITATION.cff', raise: (text, from, to) => text.replace(`\nversion: ${from}\n`, `\nversion: ${to}\n`)},
  {
    path: 'main/python/pyproject.toml',
    raise: (text, from, to) => text.replace(`\nversion = "${from}"\n`, `\nversion = "${to}"\n`),
  },
];

/**
 * Raises the version in the text of a file.
 *
 * @param {string} path one of {@link VERSIONED}
 * @param {string} text
 * @param {string} from
 * @param {string} to
 * @throws {Error} if the text does not contain the version where it must be
 */
export function raised(path, text, from, to) {
  const after = VERSIONED.find(each => each.path === path)?.raise(text, from, to) ?? text;
  if (after === text) throw new Error(`${path} does not contain the version ${from}`);
  return after;
}

/** @param {string} text @param {string} from @param {string} to */
function raiseLock(text, from, to) {
  const lock = JSON.parse(text);
  const own = lock.packages[''];
  if (lock.version !== from || own.version !== from) return text;
  return `${JSON.stringify({...lock, version: to, packages: {...lock.packages, '': {...own, version: to}}}, undefined, 2)}\n`;
}

/** @param {string} text @param {string} from @param {string} to */
function raiseCargoLock(text, from, to) {
  const entries = text.split('[[package]]\n');
  const isOwn = (/** @type {string} */ entry) => !/^source = /m.test(entry);
  return entries
    .map(entry => (isOwn(entry) ? entry.replace(`\nversion = "${from}"\n`, `\nversion = "${to}"\n`) : entry))
    .join('[[package]]\n');
}

/**
 * Turns the section 'Unreleased' of the changelog into the section of a version, and adds a new empty section
 * 'Unreleased'.
 *
 * @param {string} changelog
 * @param {string} version
 * @param {string} date
 * @returns {{changelog: string, notes: string}} `notes` is the text of the section
 * @throws {Error} if there is no section 'Unreleased', if it is empty, or if the version has a section already
 */
export function releasedChangelog(changelog, version, date) {
  const [, before = '', notes = '', after = ''] = /^(.*?\n## Unreleased\n)(.*?)(?=\n## |$)(.*)$/s.exec(changelog) ?? [];
  if (before === '') throw new Error('CHANGELOG.md has no section Unreleased');
  if (notes.trim() === '')
    throw new Error('CHANGELOG.md: the section Unreleased is empty: there is nothing to release');
  if (new RegExp(`^## ${version.replaceAll('.', '\\.')}\\b`, 'm').test(changelog))
    throw new Error(`CHANGELOG.md already has a section ${version}`);
  return {changelog: `${before}\n## ${version} - ${date}\n${notes}${after}`, notes: notes.trim()};
}

/** Returns the version with the next minor number: 0.2.0 for 0.1.3. @param {string} version */
export function nextMinor(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return `${major}.${minor + 1}.0`;
}

/**
 * @typedef {object} Options
 * @property {string} [version] by default the next minor version
 * @property {string} [out] the folder in which the artefacts are made. It must be empty or not exist.
 * @property {string} [addons] a folder with the packages of prebuilt addons (.tgz) that other machines have made.
 * Without it, the package of this platform is made.
 * @property {boolean} [dry-run]
 * @property {string} [date]
 */

/**
 * Makes a release of the repository in a folder.
 *
 * @param {string} repository
 * @param {Options} options
 * @param {(line: string) => void} print
 */
export async function release(repository, options, print) {
  const {out, addons, date = new Date().toISOString().slice(0, 10), 'dry-run': isDry = false} = options;
  const git = gitIn(repository);
  const current = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')).version;
  const version = options.version ?? nextMinor(current);
  checkVersion(version, current);
  const tag = `v${version}`;
  const dirty = git('status', '--porcelain');
  if (dirty !== '') throw new Error(`the tree is not clean; commit or remove first:\n${dirty}`);
  if (git('tag', '--list', tag) !== '') throw new Error(`the tag ${tag} exists already`);
  if (out !== undefined && existsSync(out) && readdirSync(out).length > 0) throw new Error(`${out} is not empty`);
  const packages = addons === undefined ? undefined : addonsOf(addons, version);
  const branch = git('branch', '--show-current');
  if (branch === '')
    throw new Error('no branch is checked out: check out the branch that gets the commit of the release');

  const folder = mkdtempSync(join(tmpdir(), 'interleave-release-'));
  try {
    const clone = join(folder, 'clone');
    git('clone', '--quiet', '--branch', branch, repository, clone);
    const notes = raiseFiles(clone, current, version, date);
    const inClone = gitIn(clone);
    for (const name of /** @type {const} */ (['user.name', 'user.email'])) inClone('config', name, git('config', name));
    inClone('commit', '--quiet', '--all', '--message', `release: ${version}`);
    inClone('tag', '--annotate', tag, '--message', `Interleave ${version}`);
    print(`release: ${current} → ${version} (${date}), commit ${inClone('rev-parse', '--short', 'HEAD')}, tag ${tag}`);
    print(inClone('show', '--stat', '--format=', 'HEAD'));
    if (out !== undefined) {
      mkdirSync(out, {recursive: true});
      makeArtefacts({clone, repository, out: resolve(out), version, notes, packages});
      for (const line of writeChecksums(out)) print(line);
    }
    if (isDry) {
      print('release: --dry-run: this repository was not changed');
      return;
    }
    git('pull', '--quiet', '--ff-only', clone, branch);
    git('fetch', '--quiet', clone, `refs/tags/${tag}:refs/tags/${tag}`);
    print(`release: ${branch} and ${tag} are in this repository: git push --follow-tags publishes them`);
  } finally {
    rmSync(folder, {recursive: true, force: true});
  }
}

/** @param {string} version @param {string} current */
function checkVersion(version, current) {
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`--version is ${version}: must be like ${nextMinor(current)}`);
  if (version === current || isOlder(version, current))
    throw new Error(`--version is ${version}: must be later than ${current}`);
}

/**
 * Raises the version in all files, including the changelog ({@link releasedChangelog}).
 *
 * @param {string} clone
 * @param {string} from
 * @param {string} to
 * @param {string} date
 * @returns {string} the release notes, which are the changelog's section of this version
 */
function raiseFiles(clone, from, to, date) {
  for (const {path} of VERSIONED) {
    const file = join(clone, path);
    writeFileSync(file, raised(path, readFileSync(file, 'utf8'), from, to));
  }
  const file = join(clone, 'CHANGELOG.md');
  const {changelog, notes} = releasedChangelog(readFileSync(file, 'utf8'), to, date);
  writeFileSync(file, changelog);
  return notes;
}

/**
 * Returns the paths of the packages of prebuilt addons in a folder.
 *
 * @param {string} folder
 * @param {string} version
 * @throws {Error} if there are none, or if one has another version
 */
function addonsOf(folder, version) {
  const files = readdirSync(folder).filter(name => name.endsWith('.tgz'));
  if (files.length === 0) throw new Error(`--addons ${folder} contains no .tgz`);
  const stray = files.find(name => !name.endsWith(`-${version}.tgz`));
  if (stray !== undefined) throw new Error(`--addons: ${stray} is not of version ${version}`);
  return files.map(name => join(folder, name));
}

/**
 * Makes the artefacts in `out`: npm packages, source archive, notes, third-party notices, and SBOM.
 * @param {{clone: string, repository: string, out: string, version: string, notes: string, packages: string[] | undefined}} release
 */
function makeArtefacts({clone, repository, out, version, notes, packages}) {
  // what takes long to make, and does not depend on the version, is taken from the repository
  for (const part of ['node_modules', 'native/target']) {
    if (existsSync(join(repository, part))) symlinkSync(join(repository, part), join(clone, part), 'junction');
  }
  const run = (/** @type {string} */ program, /** @type {string[]} */ args, cwd = clone) =>
    execFileSync(program, args, {cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: MOST_OUTPUT});
  const npm = (/** @type {string[]} */ args, cwd = clone) => run(NPM[0], [...NPM.slice(1), ...args], cwd);
  const script = (/** @type {string} */ name, /** @type {string[]} */ ...args) =>
    run(process.execPath, [`main/setup/${name}.mjs`, ...args]);
  if (packages === undefined) {
    script('prebuilt', '--out', 'prebuilt');
    for (const name of readdirSync(join(clone, 'prebuilt')))
      npm(['pack', '--silent', '--pack-destination', out], join(clone, 'prebuilt', name));
  } else for (const file of packages) copyFileSync(file, join(out, basename(file)));
  npm(['pack', '--silent', '--pack-destination', out]);
  const name = `interleave-${version}`;
  writeFileSync(join(out, `${name}.cdx.json`), script('sbom'));
  script('notices', '--texts');
  copyFileSync(join(clone, 'THIRD_PARTY_NOTICES.md'), join(out, 'THIRD_PARTY_NOTICES.md'));
  gitIn(clone)('checkout', '--quiet', '--', 'THIRD_PARTY_NOTICES.md');
  gitIn(clone)('archive', `--prefix=${name}/`, '--output', join(out, `${name}-source.tar.gz`), `v${version}`);
  writeFileSync(join(out, 'RELEASE_NOTES.md'), `# Interleave ${version}\n\n${notes}\n`);
}

/** Largest output of a program, in bytes. The SBOM is larger than Node's default limit of 1 MB. */
const MOST_OUTPUT = 64 * 1024 * 1024;

/** Writes SHA256SUMS, which `sha256sum --check` reads, and returns its lines. */
function writeChecksums(/** @type {string} */ out) {
  const lines = readdirSync(out)
    .filter(name => name !== CHECKSUMS)
    .sort()
    .map(
      name =>
        `${createHash('sha256')
          .update(readFileSync(join(out, name)))
          .digest('hex')}  ${name}`,
    );
  writeFileSync(join(out, CHECKSUMS), `${lines.join('\n')}\n`);
  return lines;
}

const CHECKSUMS = 'SHA256SUMS';

/** Returns a function that runs git in a folder, and returns its output. @param {string} folder */
function gitIn(folder) {
  return (/** @type {string[]} */ ...args) => {
    try {
      return execFileSync('git', args, {cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe']}).trim();
    } catch (error) {
      const {stderr} = /** @type {{stderr?: string}} */ (error);
      throw new Error(`git ${args[0]}: ${stderr?.trim() || 'failed'}`);
    }
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await inOneLine(async () => {
    const options = /** @type {const} */ ({
      version: {type: 'string'},
      out: {type: 'string'},
      addons: {type: 'string'},
      'dry-run': {type: 'boolean'},
    });
    await release(root, parseArgs({options}).values, line => console.log(line));
  });
}
