import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {beforeAll, expect, test} from 'vitest';
import {root} from './command.mjs';
import {bill} from './sbom.mjs';

let bom: Awaited<ReturnType<typeof bill>>;
beforeAll(async () => {
  bom = await bill();
});

const textOf = (path: string) => readFileSync(join(root, path), 'utf8');
const found = (name: string) => bom.components.find(each => each.name === name);

test('the SBOM contains every package of both lockfiles once, and a checksum of each package that is not ours', () => {
  const {packages} = JSON.parse(textOf('package-lock.json')) as {
    packages: {[path: string]: {version: string}};
  };
  const npm = Object.entries(packages)
    .filter(([path]) => path !== '')
    .map(([path, {version}]) => `${path.slice(path.lastIndexOf('node_modules/') + 13)}@${version}`);
  const crates = textOf('native/Cargo.lock').matchAll(/^name = "(.+)"\nversion = "(.+)"$/gm);
  const cargo = Array.from(crates, ([, name, version]) => `${name}@${version}`);
  const listed = bom.components.map(({name, version}) => `${name}@${version}`);
  expect(new Set(listed)).toEqual(new Set([...npm, ...cargo]));
  const refs = bom.components.map(each => each['bom-ref']);
  expect(new Set(refs).size).toBe(refs.length);
  const unsummed = bom.components.filter(({hashes = []}) => hashes.length === 0).map(({name}) => name);
  expect(unsummed).toEqual(['addon', 'binding', 'netsim']);
});

test('the program depends on its crates, and every dependency is listed', () => {
  const program = bom.metadata.component;
  const refs = new Set([program['bom-ref'], ...bom.components.map(each => each['bom-ref'])]);
  expect(bom.dependencies.flatMap(({dependsOn = []}) => dependsOn).filter(ref => !refs.has(ref))).toEqual([]);
  const own = bom.dependencies.find(({ref}) => ref === program['bom-ref'])?.dependsOn ?? [];
  expect(own).toEqual(expect.arrayContaining([`cargo:addon#${program.version}`, `cargo:netsim#${program.version}`]));
  expect(program.name).toBe('interleave');
});

test('crates that only tests and builds use are not listed as parts of the program', () => {
  expect(found('dcsctp')?.scope).toBe('required');
  expect(found('napi-build')?.scope).toBe('excluded');
  expect(found('proptest')?.scope).toBe('excluded');
});

test('a patched crate lists its patches', () => {
  const patched = bom.components.filter(({pedigree}) => pedigree !== undefined).map(({name}) => name);
  const patches = readdirSync(join(root, 'native/patches'));
  expect(patched.sort()).toEqual([...new Set(patches.map(name => name.split('+')[0]))].sort());
  expect(JSON.stringify(found('dcsctp')?.pedigree)).toContain('+++ ');
});

test('the SBOM contains no path of this machine', () => {
  expect(JSON.stringify(bom)).not.toContain(root);
});
