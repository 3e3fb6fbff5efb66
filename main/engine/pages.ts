import {readdirSync, readFileSync, realpathSync, statSync} from 'node:fs';
import {join, resolve, sep} from 'node:path';
import {assemblePage} from '../../app/page/assemble.ts';
import type {Page} from '../../app/page/page.ts';
import {syntheticPage} from '../../app/page/synthetic.ts';
import type {PageSource} from '../../app/scenario/pageSource.ts';
import {nearest} from '../../app/scenario/spelling.ts';

/** A page that cannot be read, and why. */
export class PageError extends Error {
  override readonly name = 'PageError';
}

/**
 * The page that a scenario names: a fixture, a folder with an index.html, or a synthetic page.
 * @throws PageError if it is none of these, or cannot be read.
 */
export function openPage(source: PageSource, fixtures: string): Page {
  if (source.kind === 'synthetic') return syntheticPage(source);
  if (fixtureNames(fixtures).includes(source.name)) return readPage(source.name, join(fixtures, source.name));
  const folder = resolve(source.name);
  if (!statSync(folder, {throwIfNoEntry: false})?.isDirectory()) {
    const near = nearest(source.name, fixtureNames(fixtures));
    const hint = near === undefined ? 'interleave pages lists the fixtures' : `did you mean ${near}?`;
    throw new PageError(`page: ${source.name} is neither a fixture nor a folder; ${hint}`);
  }
  return readPage(source.name, folder);
}

/** Names of the pages that come with the program. */
export function fixtureNames(fixtures: string): readonly string[] {
  return readdirSync(fixtures, {withFileTypes: true})
    .filter(entry => entry.isDirectory())
    .map(entry => entry.name)
    .sort();
}

function readPage(name: string, folder: string): Page {
  const html = readWithin(folder, 'index.html');
  if (html === undefined) throw new PageError(`page: ${name} has no index.html`);
  const page = assemblePage(name, html, url => readWithin(folder, filePath(url)));
  const bytes = page.objects.reduce((sum, object) => sum + (object.body?.length ?? 0), 0);
  if (bytes > LARGEST_PAGE_BYTES) {
    throw new PageError(`page: ${name} has ${bytes} bytes (at most ${LARGEST_PAGE_BYTES})`);
  }
  return page;
}

/** A file of the folder; undefined if there is none, or it is outside, even by a link. */
function readWithin(folder: string, path: string | undefined): Uint8Array | undefined {
  if (path === undefined) return undefined;
  try {
    const root = realpathSync(folder);
    const file = realpathSync(join(root, path));
    if (!file.startsWith(root + sep) || !statSync(file).isFile()) return undefined;
    return new Uint8Array(readFileSync(file));
  } catch {
    return undefined;
  }
}

/** The file of a URL's path; undefined if its escapes are none, or name a byte that no file name has. */
function filePath(url: string): string | undefined {
  try {
    const path = decodeURIComponent(url.split('?')[0] ?? '');
    return path.includes('\0') ? undefined : path;
  } catch {
    return undefined;
  }
}

/** A page and its trace are held in memory. */
const LARGEST_PAGE_BYTES = 100_000_000;
