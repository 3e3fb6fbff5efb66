import {execFileSync} from 'node:child_process';
import {existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import type {PageSnapshot} from '../../app/page/page.ts';
import type {PageSource} from '../../app/run/scenario/pageSource.ts';
import {openPath} from '../../main/pages/open/openPath.ts';
import {openPage} from '../../main/pages/openPage.ts';
import {bundleSource} from '../../main/pages/store/bundle.ts';
import {BundleStore} from '../../main/pages/store/bundleStore.ts';

/** A page of the validation. */
export interface ValidationPage {
  readonly name: string;
  /** Returns the value of `page` in scenarios that load this page. A manual is downloaded and stored for this. */
  readonly source: () => Promise<PageSource>;
}

/** Manuals that are not part of this repository. `of` is a Debian package, and `file` is the HTML file in it. */
const MANUALS = [
  {name: 'manual-kicad', of: 'kicad-doc-en', file: 'usr/share/doc/kicad/help/en/pl_editor.html'},
  {name: 'manual-octave', of: 'octave-doc', file: 'usr/share/doc/octave/octave.html/Two_002dDimensional-Plots.html'},
  {name: 'manual-python', of: 'python3.11-doc', file: 'usr/share/doc/python3.11/html/glossary.html'},
];

export const VALIDATION_PAGES: readonly ValidationPage[] = [
  {name: 'gallery', source: async () => ({kind: 'named', name: 'gallery'})},
  ...(existsSync(join(import.meta.dirname, '../../fixtures/pages/today'))
    ? [{name: 'today', source: async (): Promise<PageSource> => ({kind: 'named', name: 'today'})}]
    : []),
  ...MANUALS.map(({name, of, file}) => ({name, source: () => manualOf(of, file)})),
];

/** Opens a page as computed loads do. */
export async function snapshotOf(page: ValidationPage): Promise<PageSnapshot> {
  return openPage(await page.source(), join(import.meta.dirname, '../../fixtures/pages'));
}

/** The host of all objects of a page, unless they were fetched from several hosts. */
export const HOST = 'www.interleave.test';

/** A page whose files are in a folder, as a web server serves them. */
export interface ServedPage {
  readonly address: string;
  /** All hosts of the page. */
  readonly hosts: readonly string[];
}

/**
 * Writes the objects of a page into a folder. If they were fetched from several hosts, each object that was fetched
 * gets its original address back, and the text files refer to it by this address. Otherwise all objects are on
 * {@link HOST}.
 * @throws Error if two objects have the same path
 */
export function servePage(page: PageSnapshot, folder: string): ServedPage {
  const served = addressesOf(page);
  const hasOrigins = hasSeveralHosts(page);
  const addresses = new Map(page.objects.map(({url}, i) => [url.split('/').at(-1) ?? '', served[i]?.href ?? '']));
  addresses.delete('');
  const paths = new Set<string>();
  page.objects.forEach(({body, contentType}, i) => {
    const {pathname = '/'} = served[i] ?? {};
    if (paths.has(pathname)) throw new Error(`two objects of the page have the path ${pathname}`);
    paths.add(pathname);
    if (body === null) return;
    const isText = /^(text\/|application\/javascript|image\/svg)/.test(contentType);
    const file = join(folder, pathname.endsWith('/') ? `${pathname}index.html` : pathname);
    mkdirSync(dirname(file), {recursive: true});
    writeFileSync(file, hasOrigins && isText ? withAddresses(body, addresses) : body);
  });
  return {address: served[0]?.href ?? '', hosts: [...new Set(served.map(({host}) => host))]};
}

/** Returns the index of each object in the snapshot, keyed by the path that browsers request ({@link servePage}). */
export function numbersByPath(page: PageSnapshot): ReadonlyMap<string, number> {
  return new Map(addressesOf(page).map(({pathname, search}, i) => [pathname + search, i]));
}

function addressesOf(page: PageSnapshot): readonly URL[] {
  const hasOrigins = hasSeveralHosts(page);
  return page.objects.map(
    ({url, address}) => new URL(hasOrigins && address !== undefined ? address : url, `https://${HOST}`),
  );
}

function hasSeveralHosts({objects}: PageSnapshot): boolean {
  return new Set(objects.flatMap(({address}) => (address === undefined ? [] : [new URL(address).host]))).size > 1;
}

/** Replaces the names of a bundle's files (`files/12-lake.jpg`) by the addresses that they were fetched from. */
function withAddresses(body: Uint8Array, addresses: ReadonlyMap<string, string>): string {
  return Buffer.from(body)
    .toString()
    .replace(/(?:\.\/)?(?:files\/)?([A-Za-z0-9_-][A-Za-z0-9._-]*)/g, (name, file) => addresses.get(file) ?? name);
}

/**
 * Downloads a Debian package, opens one of its HTML files as the program opens files, and stores the page as a bundle.
 */
async function manualOf(name: string, file: string): Promise<PageSource> {
  const folder = mkdtempSync(join(tmpdir(), 'interleave-manual-'));
  try {
    execFileSync('apt-get', ['download', '--quiet=2', name], {cwd: folder, stdio: ['ignore', 'ignore', 'ignore']});
    const [archive = ''] = readdirSync(folder).filter(each => each.endsWith('.deb'));
    execFileSync('dpkg-deb', ['--extract', archive, 'files'], {cwd: folder});
    const {signal} = new AbortController();
    const bundle = await openPath(join(folder, 'files', file), signal);
    if (bundle === undefined) throw new Error(`the package ${name} has no file ${file}`);
    const hash = await new BundleStore().put(bundle, signal);
    return {kind: 'bundle', ...bundleSource(hash, bundle.document)};
  } finally {
    rmSync(folder, {recursive: true, force: true});
  }
}
