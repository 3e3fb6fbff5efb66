import {isAddress, isBundleHash, type PageSource} from '../../app/scenario/pageSource.ts';
import {showName} from '../../app/scenario/show.ts';
import type {Bundle} from '../bundles/bundle.ts';
import {bundleSource} from '../bundles/bundleSource.ts';
import {BundleError, BundleStore} from '../bundles/store.ts';
import {PageError} from '../engine/pageError.ts';
import {fixtureNames} from '../engine/pages.ts';
import {type ChosenOptions, fetchByChosen} from '../gateway/chosenGateway.ts';
import {FetchError} from '../gateway/fetchError.ts';

export interface ResolveOptions extends ChosenOptions {
  readonly fixtures: string;
  /** Addresses that are not public may be reached, for this page. */
  readonly isPrivateAllowed: boolean;
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
  const bundle = isAddress(name) ? await fetched(name, options) : await opened(name, options.signal);
  return bundle === undefined ? source : keepPage(bundle, options.signal);
}

/** Keeps a page; gives what a scenario names it by. @throws FileError */
async function keepPage(bundle: Bundle, signal: AbortSignal): Promise<PageSource> {
  const hash = await new BundleStore().put(bundle, signal);
  return {kind: 'bundle', ...bundleSource(hash, bundle.document)};
}

/** Its readers and their tables of characters are loaded where they are needed: most starts open no file. */
async function opened(path: string, signal: AbortSignal): Promise<Bundle | undefined> {
  const {openPath} = await import('./openPath.ts');
  return openPath(path, signal);
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
    const {isPrivateAllowed} = options;
    return await fetchByChosen({address, isProgressive: false, isPrivateAllowed}, options);
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    throw new FetchError(`${showName(address)} cannot be had: ${error.message}`, error.isPrivate);
  }
}
