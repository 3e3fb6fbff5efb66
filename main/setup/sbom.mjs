// npm run --silent sbom > interleave.cdx.json: lists every package of the program, its build and its tests as a
// CycloneDX 1.5 document. `npm sbom` lists the npm packages; the crates of cargo's workspace and the crates that they
// need are translated from `cargo metadata`. Both read lockfiles. Only cargo may need a network, for crates that have
// not been downloaded.
import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {inOneLine, NPM, root, run} from './command.mjs';

/**
 * @typedef {{type: string, 'bom-ref': string, name: string, version: string, scope?: string, purl?: string,
 *   hashes?: {alg: string, content: string}[], licenses?: object[], pedigree?: object,
 *   properties?: {name: string, value: string}[]}} Component
 * @typedef {{ref: string, dependsOn?: string[]}} Dependency
 * @typedef {{metadata: {component: Component}, components: Component[], dependencies: Dependency[]}} Bom
 * @typedef {{id: string, name: string, version: string, license: string | null, source: string | null}} Crate
 * @typedef {{id: string, deps: {pkg: string, dep_kinds: {kind: string | null}[]}[]}} CrateNode
 * @typedef {{packages: Crate[], workspace_members: string[], resolve: {nodes: CrateNode[]}}} Metadata
 */

/** Lists the program's packages, both those of npm and those of cargo. @returns {Promise<Bom>} */
export async function bill() {
  const [npm, ...before] = NPM;
  /** @type {Bom} */
  const bom = await jsonOf(npm, [...before, 'sbom', '--sbom-format=cyclonedx', '--package-lock-only']);
  /** @type {Metadata} */
  const metadata = await jsonOf('cargo', [
    'metadata',
    '--locked',
    '--format-version=1',
    '--manifest-path=native/Cargo.toml',
  ]);
  const program = bom.metadata.component;
  // npm would name the program after its folder
  program.name = 'interleave';
  const {components, dependencies} = cratesOf(metadata);
  bom.components.push(...components);
  bom.dependencies.push(...dependencies);
  const own = bom.dependencies.find(({ref}) => ref === program['bom-ref']);
  own?.dependsOn?.push(...metadata.workspace_members.map(refOf));
  return bom;
}

/** @param {Metadata} metadata @returns {Pick<Bom, 'components' | 'dependencies'>} */
function cratesOf({packages, workspace_members, resolve}) {
  const nodes = new Map(resolve.nodes.map(node => [node.id, node]));
  const runtime = new Set(workspace_members);
  for (const id of runtime) {
    for (const {pkg, dep_kinds} of nodes.get(id)?.deps ?? [])
      if (dep_kinds.some(({kind}) => kind === null)) runtime.add(pkg);
  }
  const checksums = checksumsOf(readFileSync(join(root, 'native/Cargo.lock'), 'utf8'));
  const patches = readdirSync(join(root, 'native/patches')).sort();
  return {
    components: packages.map(({id, name, version, license, source}) => {
      const checksum = checksums.get(`${name} ${version}`);
      const own = patches.filter(patch => patch.startsWith(`${name}+${version}+`));
      return {
        type: 'library',
        'bom-ref': refOf(id),
        name,
        version,
        // excluded crates are for tests and builds only
        scope: runtime.has(id) ? 'required' : 'excluded',
        ...(source === null ? {} : {purl: `pkg:cargo/${name}@${version.replaceAll('+', '%2B')}`}),
        ...(checksum === undefined ? {} : {hashes: [{alg: 'SHA-256', content: checksum}]}),
        // older crates use a slash (The Cargo Book, "The license field")
        ...(license === null ? {} : {licenses: [{expression: license.replaceAll(/ ?\/ ?/g, ' OR ')}]}),
        ...(own.length === 0 ? {} : {pedigree: {patches: own.map(patchOf)}}),
      };
    }),
    dependencies: resolve.nodes.map(({id, deps}) => ({
      ref: refOf(id),
      dependsOn: deps.map(({pkg}) => refOf(pkg)),
    })),
  };
}

/** @param {string} name */
function patchOf(name) {
  const text = readFileSync(join(root, 'native/patches', name), 'utf8');
  return {type: 'unofficial', diff: {text: {contentType: 'text/x-diff', content: text}}};
}

/** Returns a crate's reference. cargo's id also contains a folder or registry, which differs between machines. */
function refOf(/** @type {string} */ id) {
  return `cargo:${id.slice(id.lastIndexOf('/') + 1)}`;
}

/**
 * Reads the checksums in Cargo.lock, because cargo's metadata contains none. They are keyed by name and version.
 *
 * @param {string} lock
 */
function checksumsOf(lock) {
  const entries = lock.matchAll(/^name = "(.+)"\nversion = "(.+)"\n(?:source = .+\n)?checksum = "([0-9a-f]{64})"$/gm);
  return new Map(Array.from(entries, ([, name, version, sum = '']) => [`${name} ${version}`, sum]));
}

/** Runs a program, and parses the JSON that it prints. @param {string} program @param {string[]} args */
async function jsonOf(program, args) {
  const {code, output} = await run(program, args, {capture: true, env: {npm_config_loglevel: 'error'}});
  if (code !== 0) throw new Error(`${program} ${args[0]} ended with exit code ${code}`);
  return JSON.parse(output);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  await inOneLine(async () => process.stdout.write(`${JSON.stringify(await bill(), undefined, 2)}\n`));
