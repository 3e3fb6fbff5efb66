import {stat} from 'node:fs/promises';
import {basename, join, resolve} from 'node:path';
import {showName} from '../../app/base/text.ts';
import {isAddress, isBundleHash, type PageSource} from '../../app/run/scenario/pageSource.ts';
import type {Trust} from '../net/trust.ts';
import {FetchError} from './base/fetchError.ts';
import {PageError} from './base/pageError.ts';
import {type ChosenOptions, fetchByChosen} from './gateway/chosenGateway.ts';
import {openApart} from './gateway/gateway.ts';
import {fixtureNames} from './pages.ts';
import type {Bundle} from './store/bundle.ts';
import {bundleSource} from './store/bundleSource.ts';
import {BundleError, BundleStore} from './store/store.ts';

export interface ResolveOptions extends ChosenOptions {
  readonly fixtures: string;
  /** Addresses that are not public may be reached, for this page. */
  readonly isPrivateAllowed: boolean;
  /** Which servers of https are taken; the system's authorities decide by default. */
  readonly trust?: Trust | undefined;
}

/**
 * The page that a name means, for the engine: an address is fetched, a file opened, and what they give kept; the hash of
 * what is kept becomes it. Fixtures, page folders, and what is none of these stay as they are: the engine tells.
 * @throws PageError, FetchError, FileError; the signal's reason when that ends it.
 */
export async function resolvePage(source: PageSource, options: ResolveOptions): Promise<PageSource> {
  if (source.kind !== 'named') return source;
  const {name} = source;
  if (fixtureNames(options.fixtures).includes(name) || name.includes('\0')) return source;
  if (isBundleHash(name)) return ofHash(name);
  const bundle = isAddress(name) ? await fetched(name, options) : await opened(name, options);
  return bundle === undefined ? source : keepPage(bundle, options.signal);
}

/** Keeps a page; gives what a scenario names it by. @throws FileError */
async function keepPage(bundle: Bundle, signal: AbortSignal): Promise<PageSource> {
  const hash = await new BundleStore().put(bundle, signal);
  return {kind: 'bundle', ...bundleSource(hash, bundle.document)};
}

/** In a process of its own: whoever made the file does the program no harm, nor keeps it. Undefined if there is none. */
async function opened(
  path: string,
  {module, signal}: Pick<ResolveOptions, 'module' | 'signal'>,
): Promise<Bundle | undefined> {
  const place = resolve(path);
  if (!(await isToOpen(place))) return undefined;
  try {
    return await openApart({path: place}, {module, signal});
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    // what is wrong with the page says so itself; what became of the process does not
    const name = basename(place);
    const [own, why] = [new PageError(name, '').message, error.message];
    throw new PageError(name, why.startsWith(own) ? why.slice(own.length) : `cannot be opened: ${why}`);
  }
}

/** Whether something is there, other than a folder that is a page by itself. */
async function isToOpen(place: string): Promise<boolean> {
  const stats = await stat(place).catch(() => undefined);
  if (!stats?.isDirectory()) return stats !== undefined;
  const index = await stat(join(place, 'index.html')).catch(() => undefined);
  return index === undefined;
}

async function ofHash(hash: string): Promise<PageSource> {
  try {
    const {document} = await new BundleStore().open(hash);
    return {kind: 'bundle', ...bundleSource(hash, document)};
  } catch (error) {
    if (error instanceof BundleError) throw new PageError(hash, error.message);
    throw error;
  }
}

async function fetched(address: string, options: ResolveOptions): Promise<Bundle> {
  try {
    const {isPrivateAllowed, trust} = options;
    return await fetchByChosen({address, isProgressive: false, isPrivateAllowed, trust}, options);
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    throw new FetchError(`${showName(address)} cannot be had: ${error.message}`, error.isPrivate);
  }
}
