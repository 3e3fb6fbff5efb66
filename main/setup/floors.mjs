// This file defines which folder may import which. Each list is ordered: a folder may import itself and the folders
// before it in the list. So the imports of folders cannot form a cycle. `npm run check` and floors.test.ts report every
// import that breaks the rule. Tests, `.d.ts` files, and files in `testing/` and `fuzz/` folders are exempt.
import {readdirSync, readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';

/**
 * The lists of folders. An entry covers all files and folders below it that have no entry themselves. `folder/*` covers
 * each folder in `folder`. These folders may import the entries before `folder/*`, but may not import each other.
 * @type {Readonly<Record<'app' | 'main' | 'renderer', readonly string[]>>}
 */
const FLOORS = {
  app: [
    'app/base',
    'app/page',
    'app/http',
    'app/servers',
    'app/browsers',
    'app/pipelines',
    'app/run/link',
    'app/run/scenario',
    'app/run/trace',
    'app/run/load',
    'app/run/quality',
    'app/run/metrics',
    'app/run/packets',
    'app/engine',
    'app/run/cause',
    'app/run/why',
    'app/captures',
    'app/study/experiment',
    'app/host',
    'app/study/figures',
    'app/study/report',
    'app/study/model',
    'app/study/papers',
    'app/study/advice',
    'app/telling/narration',
    'app/telling/movie',
    'app/telling/story',
    'app/export',
  ],
  main: [
    'main/setup',
    'main/files',
    'main/net',
    'main/engine',
    'main/live/base',
    'main/live/path',
    'main/live/client',
    'main/live/server',
    'main/live/shim',
    'main/pages/base',
    'main/pages/store',
    'main/pages/convert',
    'main/pages/fetch',
    'main/pages/record',
    'main/pages/open',
    'main/pages/gateway',
    'main/pages',
    'main/captures',
    'main/workers',
    'main/media/studio',
    'main/media/quality',
    'main/media/movie',
    'main/media/figures',
    'main/shells',
    'main/jobs/quality',
    'main/jobs/experiment',
    'main/jobs/papers',
    'main/jobs/advice',
    'main/jobs',
    'main/cli',
    'main/api',
    'main/fuzz',
    'main/setup/start.mjs',
    'main/setup/site.mjs',
    'main',
  ],
  renderer: [
    'renderer/host',
    'renderer/kit',
    'renderer/speaker',
    'renderer/session',
    'renderer/run/panes',
    'renderer/run/timeline',
    'renderer/run/thumbnails',
    'renderer/run/quality',
    'renderer/run/metrics',
    'renderer/run/packets',
    'renderer/run/narration',
    'renderer/run/why',
    'renderer/movie',
    'renderer/features/feature.ts',
    'renderer/features/*',
    'renderer/features',
    'renderer/window',
    'renderer/embed',
    'renderer',
  ],
};

/**
 * The packages that a folder of app/ may import. Folders that are not listed may import none.
 * @type {Readonly<Record<string, readonly string[]>>}
 */
const PACKAGES = {
  'app/page': ['htmlparser2', '@csstools/css-tokenizer'],
  'app/base': ['fflate'],
  'app/run/link': ['fflate'],
  'app/run/scenario': ['fflate'],
  'app/host': ['@msgpack/msgpack'],
  'app/study/figures': ['@observablehq/plot'],
};

/**
 * Describes every import that breaks the rules, one line each.
 * @param {string} root the repository
 * @param {typeof FLOORS} [floors]
 * @returns {string[]}
 */
export function forbiddenImports(root, floors = FLOORS) {
  const found = [];
  for (const [floor, folders] of Object.entries(floors)) {
    for (const name of readdirSync(join(root, floor), {recursive: true, encoding: 'utf8'}).sort()) {
      const file = join(floor, name);
      if (!/\.(ts|tsx|mjs)$/.test(file) || isExempt(file)) continue;
      const from = entryOf(file, folders);
      if (from === undefined) {
        found.push(`${file}: its folder is not in main/setup/floors.mjs`);
        continue;
      }
      for (const imported of importsOf(root, file)) {
        if (floor === 'app' && isPackage(imported) && !PACKAGES[from]?.includes(imported))
          found.push(`${file} imports ${imported}: ${from} may not import this package`);
        if (!imported.startsWith(`${floor}/`)) continue;
        const to = entryOf(imported, folders);
        if (to === undefined || positionOf(to, folders) > positionOf(from, folders))
          found.push(`${file} imports ${imported}: ${from} may not import ${to ?? 'an unlisted folder'}`);
        else if (to !== from && positionOf(to, folders) === positionOf(from, folders))
          found.push(`${file} imports ${imported}: ${from} and ${to} may not import each other`);
      }
    }
  }
  return found;
}

/** @param {string} file */
function isExempt(file) {
  return /\.test\.tsx?$|\.d\.ts$|(^|\/)(testing|node_modules|fuzz)\//.test(file);
}

/**
 * Finds the longest entry that covers the file. If that entry is `folder/*`, returns the folder that it covers.
 * @param {string} file
 * @param {readonly string[]} entries
 */
function entryOf(file, entries) {
  for (let at = file; at !== '.'; at = dirname(at))
    if (entries.includes(at) || (at !== file && entries.includes(siblingsOf(at)))) return at;
  return undefined;
}

/**
 * Returns the position of an entry in its list.
 * @param {string} entry
 * @param {readonly string[]} entries
 */
function positionOf(entry, entries) {
  return entries.includes(entry) ? entries.indexOf(entry) : entries.indexOf(siblingsOf(entry));
}

/** @param {string} folder */
function siblingsOf(folder) {
  return join(dirname(folder), '*');
}

/**
 * Lists everything that a file imports, including types, as paths from the root and names of packages.
 * @param {string} root
 * @param {string} file
 */
function importsOf(root, file) {
  const text = readFileSync(join(root, file), 'utf8');
  const specifiers = [...text.matchAll(SPECIFIER)].map(([, named, loaded]) => named ?? loaded ?? '');
  return specifiers.map(specifier => (isPackage(specifier) ? specifier : join(dirname(file), specifier)));
}

/** @param {string} specifier */
function isPackage(specifier) {
  return !/^(\.|(app|main|native|renderer|fixtures)\/)/.test(specifier);
}

/** Matches imports as Biome formats them: `from './a.ts'`, `import './a.ts'`, `import('./a.ts')`. */
const SPECIFIER = /^(?:(?:import|export|\}) .*?from |import )'([^'?]+)|\bimport\('([^'?]+)/gm;

if (process.argv[1] === import.meta.filename) {
  const found = forbiddenImports('.');
  for (const line of found) console.log(line);
  process.exitCode = found.length === 0 ? 0 : 1;
}
