import {stat} from 'node:fs/promises';
import {basename, join, resolve} from 'node:path';
import {showName} from '../../app/base/text.ts';
import {isAddress, isBundleHash, type PageSource} from '../../app/run/scenario/pageSource.ts';
import {FetchError, PageError} from './base/pageErrors.ts';
import type {Trust} from './base/trust.ts';
import {type ChosenOptions, fetchByChosen} from './gateway/chosenGateway.ts';
import {openInOwnProcess} from './gateway/gatewayProcess.ts';
import {fixtureNames} from './openPage.ts';
import type {Bundle} from './store/bundle.ts';
import {bundleSource} from './store/bundle.ts';
import {BundleError, BundleStore} from './store/bundleStore.ts';

export interface ResolveOptions extends ChosenOptions {
  readonly fixtures: string;
  /** Whether requests for this page may go to addresses that are not public. */
  readonly isPrivateAllowed: boolean;
  /** Which HTTPS servers are trusted. By default the authorities that Node contains decide. */
  readonly trust?: Trust | undefined;
}

/**
 * Turns a page's name into a source that the engine can open. If the name is an address, the page is fetched. If it is
 * the path of a file, or of a folder without an index.html, the page is opened. In both cases the page is then stored
 * as a bundle, and the source names the bundle by its hash. If the name is a hash, it must be that of a stored bundle.
 * All other names are returned unchanged: pages that are shipped with the program, folders with an index.html, and
 * unknown names, for which the engine reports the error.
 * @throws PageError, FetchError, FileError; the signal's reason after an abort
 */
export async function resolvePage(source: PageSource, options: ResolveOptions): Promise<PageSource> {
  if (source.kind !== 'named') return source;
  const {name} = source;
  if (fixtureNames(options.fixtures).includes(name) || name.includes('\0')) return source;
  if (isBundleHash(name)) return ofHash(name);
  const bundle = isAddress(name) ? await fetched(name, options) : await opened(name, options);
  return bundle === undefined ? source : keepPage(bundle, options.signal);
}

/** Stores a bundle, and returns the source by which a scenario names it. @throws FileError */
async function keepPage(bundle: Bundle, signal: AbortSignal): Promise<PageSource> {
  const hash = await new BundleStore().put(bundle, signal);
  return {kind: 'bundle', ...bundleSource(hash, bundle.document)};
}

/**
 * Opens a file or folder in a separate process, so that a malicious file cannot harm or block the program. Returns
 * undefined if the path does not exist, or if it is a folder with an index.html.
 */
async function opened(
  path: string,
  {module, signal}: Pick<ResolveOptions, 'module' | 'signal'>,
): Promise<Bundle | undefined> {
  const place = resolve(path);
  if (!(await isToOpen(place))) return undefined;
  try {
    return await openInOwnProcess({path: place}, {module, signal});
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    // a message about the page already begins with the page's name; a message about the process does not
    const name = basename(place);
    const [own, why] = [new PageError(name, '').message, error.message];
    throw new PageError(name, why.startsWith(own) ? why.slice(own.length) : `cannot be opened: ${why}`);
  }
}

/** Whether the path leads to a file, or to a folder without an index.html. */
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
    throw new FetchError(`${showName(address)} cannot be fetched: ${error.message}`, error.isPrivate);
  }
}
