import {existsSync, readFileSync} from 'node:fs';
import {dirname, join, relative} from 'node:path';
import {expect, test} from 'vitest';
import {REPLACED} from './replacedModules.ts';

// `npm test` does not build the web edition, because that takes long. This test finds what would most often break it.

const ROOT = join(import.meta.dirname, '../../..');
const SITE = 'main/shells/site';
const ENTRIES = [
  ...['page.ts', 'stage.ts', 'engineWorker.ts', 'openWorker.ts', 'serviceWorker.ts'].map(name => `${SITE}/${name}`),
  // the scripts of the pages themselves
  'renderer/main.tsx',
  'renderer/movie/stage.tsx',
];
/** The module of an import or export that is not only of types. */
const IMPORTED = /^(?:import|export)(?! type\b)(?:[^;']*? from)? '([^']+)'|\bimport\('([^']+)'\)/gm;

/** Follows the imports of the web edition from its entries. Lists the modules that it reaches, and Node's as `node:…`. */
function reached(): ReadonlyMap<string, string> {
  const importers = new Map(ENTRIES.map(entry => [entry, '']));
  for (const path of importers.keys()) {
    if (path.startsWith('node:') || !/\.(ts|tsx|mjs|js)$/.test(path)) continue;
    for (const {1: fixed, 2: later} of readFileSync(join(ROOT, path), 'utf8').matchAll(IMPORTED)) {
      const module = (fixed ?? later ?? '').split('?')[0] ?? '';
      const isOwn = module.startsWith('.');
      if (!isOwn && !module.startsWith('node:')) continue;
      const name = isOwn ? relative(ROOT, join(ROOT, dirname(path), module)) : module;
      const isReplaced = !isOwn || !path.startsWith(`${SITE}/platform/`);
      const [, replacement] = (isReplaced && REPLACED.find(([each]) => each === name)) || [];
      const found = replacement === undefined ? name : `${SITE}/platform/${replacement}.ts`;
      if (!importers.has(found)) importers.set(found, path);
    }
  }
  return importers;
}

test('the web edition imports only modules that exist, and no module of Node that is not replaced', () => {
  const found = reached();
  expect(found.size).toBeGreaterThan(700);
  expect([...found].filter(([path]) => path.startsWith('node:'))).toEqual([]);
  // the WebAssembly module is built later
  const missing = [...found].filter(([path]) => !path.endsWith('.wasm') && !existsSync(join(ROOT, path)));
  expect(missing).toEqual([]);
});

test('the web edition imports every module in the list of replacements', () => {
  const used = new Set(reached().keys());
  expect(REPLACED.filter(([, replacement]) => !used.has(`${SITE}/platform/${replacement}.ts`))).toEqual([]);
});
