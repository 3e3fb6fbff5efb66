import {posix} from 'node:path';
import {FetchError} from '../base/fetchError.ts';
import {GATEWAY_LIMITS} from '../base/limits.ts';
import type {Fetched} from '../fetch/fetcher.ts';
import type {FileSet} from './fileSet.ts';

/** Where a page that is not fetched comes from: what it names is looked up, and nothing else is. */
export interface LocalSource {
  /** Of the page's HTML. */
  readonly address: string;
  /** What people call the file of an address. */
  nameOf(address: string): string;
  /** @throws FetchError */
  get(address: string): Promise<Fetched>;
  /** What it has that was never asked for, in words; empty if all was. */
  unused?(): readonly string[];
}

/** The page at `index` among files, as though a server had their folder: nothing leads out of it. */
export function filesSource(files: FileSet, index: string): LocalSource {
  return {
    address: addressOf(index),
    nameOf: address => pathOf(address) ?? address,
    get: async address => {
      const path = pathOf(address);
      if (path === undefined) throw new FetchError('it is not among the files');
      const body = await files.read(path, GATEWAY_LIMITS.objectBytes);
      if (body === undefined) throw new FetchError('there is no such file');
      return {address, contentType: TYPES.get(posix.extname(path).toLowerCase()) ?? '', body};
    },
  };
}

/** By its path among files. */
export function addressOf(path: string): string {
  return `${ORIGIN}/${path.split('/').map(encodeURIComponent).join('/')}`;
}

/** Undefined of an address that is no file's. */
function pathOf(address: string): string | undefined {
  const {origin, pathname} = new URL(address);
  if (origin !== ORIGIN) return undefined;
  try {
    const path = posix.normalize(decodeURIComponent(pathname)).slice(1);
    return path.includes('\0') ? undefined : path;
  } catch {
    return undefined;
  }
}

/** A host that can never be anybody's (RFC 6761 §6.4). */
const ORIGIN = 'http://files.invalid';

/** Of what has no mark of its own. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['.css', 'text/css'],
  ['.htm', 'text/html'],
  ['.html', 'text/html'],
  ['.svg', 'image/svg+xml'],
  ['.xhtml', 'application/xhtml+xml'],
]);
