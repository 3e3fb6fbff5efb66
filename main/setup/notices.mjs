// `npm run notices` runs this file. It writes THIRD_PARTY_NOTICES.md, which lists the packages that the program
// contains, with their licences. The list is made from the lockfiles, so it is the same on every machine.
//
// With --texts, the file also contains the licence texts of these packages (half a megabyte), as it does in the npm
// packages and the installers. The texts are read from the packages that are installed here.
import {existsSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {homedir} from 'node:os';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {inOneLine, root} from './command.mjs';
import {bill} from './sbom.mjs';

/** @typedef {{name: string, version: string, from: 'npm' | 'crates.io', licence: string}} Package */

export const NOTICES = join(root, 'THIRD_PARTY_NOTICES.md');

/**
 * Returns the packages that the program contains. Our own packages, and packages that only tests and builds use, are
 * left out.
 * @returns {Promise<Package[]>}
 */
export async function shippedPackages() {
  const {components} = await bill();
  /** @type {Package[]} */
  const packages = [];
  for (const {name, version, scope, purl = '', properties = [], licenses = []} of components) {
    const isDevelopment = properties.some(property => property.name === 'cdx:npm:package:development');
    const from = purl.startsWith('pkg:npm/') ? 'npm' : purl.startsWith('pkg:cargo/') ? 'crates.io' : undefined;
    if (from === undefined || isDevelopment || scope === 'excluded') continue;
    packages.push({name, version, from, licence: licences(licenses)});
  }
  return packages.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** Returns the text of THIRD_PARTY_NOTICES.md without licence texts. @param {Package[]} packages */
export function notices(packages) {
  const rows = packages.map(each => `| ${each.name} | ${each.version} | ${each.from} | ${each.licence} |`);
  return [HEAD, '| package | version | from | licence |', '|---|---|---|---|', ...rows, ''].join('\n');
}

/** Returns {@link notices} and the licence texts. Equal texts are listed once. @param {Package[]} packages */
export function noticesWithTexts(packages) {
  /** @type {Map<string, {text: string, names: string[]}>} */
  const texts = new Map();
  for (const each of packages) {
    for (const text of textsOf(each)) {
      const words = text.replaceAll(/\s+/g, ' ');
      const known = texts.get(words) ?? {text, names: []};
      known.names.push(`${each.name} ${each.version}`);
      texts.set(words, known);
    }
  }
  const sections = [...texts.values()].map(
    ({text, names}) => `### ${names.join(', ')}\n\n\`\`\`\`text\n${text}\n\`\`\`\`\n`,
  );
  return [notices(packages), '## Texts\n', ...sections].join('\n');
}

/**
 * Reads the licence texts of an installed package. Returns no texts if the package is not installed or has none.
 * @param {Package} each
 */
function textsOf({name, version, from}) {
  const folder = from === 'npm' ? npmFolder(name, version) : crateFolder(name, version);
  if (folder === undefined) return [];
  const files = readdirSync(folder, {withFileTypes: true}).filter(file => file.isFile());
  return files
    .filter(file => LICENCE_FILE.test(file.name))
    .map(file => tidy(readFileSync(join(folder, file.name), 'utf8')))
    .sort();
}

const LICENCE_FILE = /^(licen[cs]e|copying|notice|unlicense)([-._].*)?$/i;

/** @param {string} name @param {string} version */
function npmFolder(name, version) {
  const folder = join(root, 'node_modules', name);
  const manifest = join(folder, 'package.json');
  // if several versions are installed, only the one in the top folder is read, because their texts are alike
  return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version === version ? folder : undefined;
}

/** @param {string} name @param {string} version */
function crateFolder(name, version) {
  const sources = join(process.env.CARGO_HOME ?? join(homedir(), '.cargo'), 'registry/src');
  const registries = existsSync(sources) ? readdirSync(sources) : [];
  return registries.map(each => join(sources, each, `${name}-${version}`)).find(existsSync);
}

/** Removes carriage returns and trailing spaces. @param {string} text */
function tidy(text) {
  return text
    .replaceAll('\r', '')
    .replaceAll(/[ \t]+$/gm, '')
    .trim();
}

/** @param {object[]} licenses */
function licences(licenses) {
  const words = licenses.map(each => {
    const {expression, license} = /** @type {{expression?: string, license?: {id?: string, name?: string}}} */ (each);
    return expression ?? license?.id ?? license?.name ?? 'unknown';
  });
  return words.length === 0 ? 'unknown' : words.join(', ');
}

/** @param {Package} each */
function keyOf({name, version, from}) {
  return `${from} ${name} ${version}`;
}

const HEAD = `# Third-party notices

Interleave is under the [MIT licence](LICENSE). It contains the packages in the table below, which have their own licences. The command \`npm run notices\` writes this file from \`package-lock.json\` and \`native/Cargo.lock\`. In the npm packages and the installers, the file also contains the licence texts. Our changes to crates are in \`native/patches\`.
`;

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const make = process.argv.includes('--texts') ? noticesWithTexts : notices;
  await inOneLine(async () => writeFileSync(NOTICES, make(await shippedPackages())));
}
