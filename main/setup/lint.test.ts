import {spawnSync} from 'node:child_process';
import {copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {afterAll, beforeAll, expect, test} from 'vitest';

/** A file's path, its text, and the rules that it breaks. */
type Snippet = [path: string, text: string, breaks: string[]];

const imports = ['style/noRestrictedImports'];
const globals = ['style/noRestrictedGlobals'];
const node = ['correctness/noNodejsModules'];
/** Reported by main/setup/literalSpread.grit. Biome does not name the plugin that reports. */
const literalSpread = ['plugin'];

const snippets: Snippet[] = [
  ['app/page/main.ts', "export * from '../../main/engine/load';", imports],
  ['app/page/renderer.ts', "export * from '../../renderer/Timeline';", imports],
  ['app/page/native.ts', "export * from '../../native/addon/index.mjs';", imports],
  ['app/page/electron.ts', "export * from 'electron';", imports],
  ['app/page/react.ts', "export * from 'react';", imports],
  ['app/page/jsx.ts', "export * from 'react/jsx-runtime';", imports],
  ['app/page/node.ts', "export * from 'node:fs';", node],
  ['app/page/main.test.ts', "export * from '../../main/engine/load';", imports],
  ['app/page/node.test.ts', "export * from 'node:fs';", []],
  ['app/page/dateNow.ts', 'export const at = Date.now();', globals],
  ['app/page/newDate.ts', 'export const at = new Date();', globals],
  ['app/page/performance.ts', 'export const at = performance.now();', globals],
  ['app/page/crypto.ts', 'export const id = crypto.randomUUID();', globals],
  ['app/page/random.ts', 'export const dice = Math.random();', ['nursery/noJsRestrictedProperties']],
  ['app/page/dom.ts', 'export const title = document.title;', globals],
  ['renderer/main.ts', "export * from '../main/engine/load';", imports],
  ['renderer/native.ts', "export * from '../native/addon/index.mjs';", imports],
  ['renderer/electron.ts', "export * from 'electron';", imports],
  ['renderer/node.ts', "export * from 'node:fs';", node],
  ['renderer/app.ts', "export * from '../app/page/page';", []],
  ['main/engine/renderer.ts', "export * from '../../renderer/Timeline';", imports],
  ['main/engine/app.ts', "export * from '../../app/page/page';", []],
  ['main/engine/stranger.ts', "export * from 'left-pad';", ['correctness/noUndeclaredDependencies']],
  ['main/engine/any.ts', 'export const value: any = 1;', ['suspicious/noExplicitAny']],
  ['main/engine/only.test.ts', "test.only('claims', () => {});", ['suspicious/noFocusedTests']],
  ['app/page/object.ts', 'export const pair = {...{a: 1}};', literalSpread],
  ['app/page/array.ts', 'export const pair = [...[1, 2]];', literalSpread],
  ['app/page/argument.ts', 'export const most = Math.max(...[1, 2]);', literalSpread],
  ['app/page/asConst.ts', 'export const pair = {...({a: 1} as const)};', literalSpread],
  ['app/page/satisfies.ts', 'export const pair = {...({a: 1} satisfies object)};', literalSpread],
  ['app/page/spread.ts', 'export const copyOf = (pair: object, list: object[]) => [{...pair}, ...list];', []],
  ['app/page/mapped.ts', 'export const doubled = [...[1, 2].map(x => x * 2)];', []],
  ['app/page/conditional.ts', 'export const at = (x?: number) => ({...(x === undefined ? {} : {x})});', []],
  ['renderer/attributes.tsx', 'export const line = <hr {...{id: "a"}} />;', literalSpread],
  ['main/setup/object.mjs', 'export const pair = {...{a: 1}};', literalSpread],
];

const directory = mkdtempSync(join(tmpdir(), 'interleave-lint-'));
let broken: Map<string, string[]>;

beforeAll(() => {
  copyFileSync('biome.json', join(directory, 'biome.json'));
  const {plugins} = JSON.parse(readFileSync('biome.json', 'utf8')) as {plugins: string[]};
  for (const plugin of plugins) {
    mkdirSync(dirname(join(directory, plugin)), {recursive: true});
    copyFileSync(plugin, join(directory, plugin));
  }
  copyFileSync('.gitignore', join(directory, '.gitignore')); // biome.json demands a .gitignore that is not empty
  writeFileSync(
    join(directory, 'package.json'),
    JSON.stringify({
      dependencies: {'@csstools/css-tokenizer': '*', electron: '*', htmlparser2: '*', react: '*'},
    }),
  );
  for (const [path, text] of snippets) {
    mkdirSync(dirname(join(directory, path)), {recursive: true});
    writeFileSync(join(directory, path), `${text}\n`);
  }
  const biome = join(process.cwd(), 'node_modules/@biomejs/biome/bin/biome');
  const run = spawnSync(process.execPath, [biome, 'lint', '--reporter=json', '--max-diagnostics=none'], {
    cwd: directory,
    encoding: 'utf8',
  });
  broken = rulesByFile(run.stdout);
});

afterAll(() => rmSync(directory, {recursive: true}));

test.each(snippets)('%s: %s', (path, _text, breaks) => {
  // rules run in parallel, so their order is not fixed
  expect((broken.get(path) ?? []).sort()).toEqual(breaks.toSorted());
});

function rulesByFile(report: string): Map<string, string[]> {
  const {diagnostics} = JSON.parse(report) as {diagnostics: {category: string; location: {path: string}}[]};
  const files = new Map<string, string[]>();
  for (const {category, location} of diagnostics) {
    files.set(location.path, [...(files.get(location.path) ?? []), category.replace('lint/', '')]);
  }
  return files;
}
