import {readdir, rename, rm, stat, utimes} from 'node:fs/promises';
import {join} from 'node:path';
import {isBundleHash, LARGEST_PAGE_BYTES} from '../../../app/run/scenario/pageSource.ts';
import {cacheFolder} from '../../files/cache.ts';
import {FileError} from '../../files/fileError.ts';
import {findFile, readFound} from '../../files/folderFile.ts';
import {isAbandoned, leftOverOf, temporaryBeside} from '../../files/outputFile.ts';
import {UnreadableError} from '../../files/unreadableError.ts';
import type {Bundle, BundleDocument, BundleFile} from './bundle.ts';
import {DOCUMENT, INDEX, isBundlePath, LONGEST_DOCUMENT, readBundleDocument} from './bundleDocument.ts';
import {writeBundle, writeDocument} from './bundleFolder.ts';
import {bundleHash, differingFile} from './bundleHash.ts';

/** Thrown if a bundle is missing, damaged or unreadable. Its message says why, as in `is damaged: index.html`. */
export class BundleError extends Error {
  override readonly name = 'BundleError';
}

export interface KeptBundle {
  readonly hash: string;
  readonly document: BundleDocument;
  /** Total size of the bundle's files. */
  readonly bytes: number;
  /** The time at which the bundle was stored or last opened, in ms since 1970. */
  readonly usedMs: number;
}

/**
 * The bundles in the user's cache. Each bundle is a folder that is named by the hash of its files. The folder appears
 * only when it is complete, even if several processes store the same page. When all bundles together have more than
 * `mostBytes`, the least recently used are removed, except those that were used within the last {@link IN_USE_MS}.
 */
export class BundleStore {
  readonly #folder: string;
  readonly #mostBytes: number;
  /**
   * An upper limit of the size of all bundles. The limit does not count bundles that other processes have stored since
   * `#removeUnused` last listed all bundles. It is Infinity until the first listing. Listing may take long, so
   * `#removeUnused` is called only when a bundle is stored and this limit is larger than `mostBytes`.
   */
  #bytes = Number.POSITIVE_INFINITY;

  constructor({folder = cacheFolder('pages'), mostBytes = MOST_BYTES} = {}) {
    this.#folder = folder;
    this.#mostBytes = mostBytes;
  }

  /**
   * Stores a bundle and returns the hash that names it. If the bundle is stored already, its document is replaced.
   * @throws FileError if it cannot be written. @throws BundleError if its files differ from its document
   */
  async put(bundle: Bundle, signal: AbortSignal): Promise<string> {
    checkBundle(bundle);
    const hash = bundleHash(bundle.document.objects);
    const place = join(this.#folder, hash);
    if (await this.#isWhole(hash)) await writeDocument(place, bundle.document, signal);
    else {
      await this.#remove(hash);
      try {
        await writeBundle(place, bundle, signal);
      } catch (error) {
        // another process may have stored the same bundle first
        if (signal.aborted || !(await this.#isWhole(hash))) throw this.#withAdvice(error);
      }
      this.#bytes += bytesOf(bundle.document);
    }
    // if removing other bundles fails, the new bundle remains stored
    await this.#shrink().catch(checkOfFiles);
    return hash;
  }

  /**
   * If the folder may be the reason for an error, adds advice on how to choose another folder. The user needs this
   * advice because the user did not choose this folder.
   */
  #withAdvice(error: unknown): unknown {
    const isOfPlace = error instanceof FileError && error.isOfPlace;
    return isOfPlace ? new FileError(this.#folder, error, CACHE_ADVICE) : error;
  }

  /** Opens a bundle, and checks its content against its hash. @throws BundleError */
  async open(hash: string): Promise<Bundle> {
    if (!isBundleHash(hash)) throw new BundleError('is not stored on this machine');
    try {
      const bundle = await this.#read(hash);
      const now = new Date();
      await utimes(join(this.#folder, hash), now, now).catch(() => undefined);
      return bundle;
    } catch (error) {
      if (error instanceof UnreadableError) throw new BundleError(`cannot be read: ${error.message}`);
      throw error;
    }
  }

  /** Lists all stored bundles with a readable document, the most recently used first. Their files are not checked. */
  async list(): Promise<readonly KeptBundle[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const kept = await Promise.all(names.filter(isBundleHash).map(hash => this.#describe(hash)));
    return kept.filter(each => each !== undefined).sort((a, b) => b.usedMs - a.usedMs);
  }

  async #describe(hash: string): Promise<KeptBundle | undefined> {
    try {
      const {mtimeMs: usedMs} = await stat(join(this.#folder, hash));
      const document = readBundleDocument(await this.#file(hash, DOCUMENT));
      if (document === undefined) return undefined;
      return {hash, document, bytes: bytesOf(document), usedMs};
    } catch {
      // the bundle is damaged, or another process is removing it
      return undefined;
    }
  }

  async #read(hash: string): Promise<Bundle> {
    const document = readBundleDocument(await this.#file(hash, DOCUMENT));
    if (document === undefined || bundleHash(document.objects) !== hash) throw damaged(DOCUMENT);
    const files: BundleFile[] = [];
    for (const {file} of document.objects) {
      files.push({path: file, bytes: await this.#file(hash, file).catch(() => NOTHING)});
    }
    return checkBundle({files, document});
  }

  async #file(hash: string, path: string): Promise<Uint8Array> {
    const found = await findFile(join(this.#folder, hash), path);
    if (found === undefined) throw new BundleError('is not stored on this machine');
    const most = path === DOCUMENT ? LONGEST_DOCUMENT : LARGEST_PAGE_BYTES;
    if (found.bytes > most) throw damaged(path);
    return readFound(found);
  }

  #isWhole(hash: string): Promise<boolean> {
    return this.open(hash).then(
      () => true,
      error => {
        if (error instanceof BundleError) return false;
        throw error;
      },
    );
  }

  async #shrink(): Promise<void> {
    const now = Date.now();
    if (this.#bytes > this.#mostBytes) await this.#removeUnused(now);
    await this.#sweep(now);
  }

  async #removeUnused(now: number): Promise<void> {
    // a bundle that is stored while the others are listed may count twice
    this.#bytes = 0;
    const kept = await this.list();
    this.#bytes += kept.reduce((sum, each) => sum + each.bytes, 0);
    let bytes = 0;
    for (const each of kept) {
      bytes += each.bytes;
      if (bytes <= this.#mostBytes || now - each.usedMs <= IN_USE_MS) continue;
      await this.#remove(each.hash);
      this.#bytes -= each.bytes;
    }
  }

  /** Removes the folders that killed processes left behind. */
  async #sweep(now: number): Promise<void> {
    for (const name of await readdir(this.#folder)) {
      if (!/^[0-9a-f]{50}$/.test(leftOverOf(name) ?? '')) continue;
      const {mtimeMs} = await stat(join(this.#folder, name)).catch(() => ({mtimeMs: now}));
      if (isAbandoned(name) || now - mtimeMs > LEFT_OVER_MS)
        await rm(join(this.#folder, name), {recursive: true, force: true});
    }
  }

  /** Removes a bundle. Its folder is renamed first, so that no process finds an incomplete bundle. */
  async #remove(hash: string): Promise<void> {
    const place = join(this.#folder, hash);
    const away = temporaryBeside(place);
    try {
      await rename(place, away);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      throw error;
    }
    await rm(away, {recursive: true, force: true});
  }
}

/**
 * Returns the bundle. @throws BundleError if its files differ from its document, if a path is not allowed in a bundle,
 * or if the first file is not index.html
 */
function checkBundle(bundle: Bundle): Bundle {
  const {files, document} = bundle;
  const differing = files.find(({path}) => !isBundlePath(path))?.path ?? differingFile(files, document.objects);
  if (differing !== undefined) throw damaged(differing);
  if (files[0]?.path !== INDEX) throw damaged(INDEX);
  return bundle;
}

/** Ignores an error of the file system. @throws any other error, because it is a bug */
function checkOfFiles(error: NodeJS.ErrnoException): void {
  if (error.code === undefined) throw error;
}

function bytesOf({objects}: BundleDocument): number {
  return objects.reduce((sum, {bytes}) => sum + bytes, 0);
}

function damaged(path: string): BundleError {
  return new BundleError(`is damaged: ${path}`);
}

const NOTHING = new Uint8Array();

const CACHE_ADVICE = 'opened pages are stored there; set XDG_CACHE_HOME to choose another folder';

/** Largest size of all bundles together, in bytes. At least twenty of the largest pages fit. */
const MOST_BYTES = 2_000_000_000;

/**
 * A bundle that was used within this time is not removed. Between storing a bundle and opening it for a run, less time
 * passes.
 */
const IN_USE_MS = 600_000;

/** Age at which an incomplete folder is removed in any case. Writing a bundle takes far less time. */
const LEFT_OVER_MS = 3_600_000;
