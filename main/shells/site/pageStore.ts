import type {Bundle, BundleDocument, BundleFile} from '../../pages/store/bundle.ts';
import {bundleHash, differingFile} from '../../pages/store/bundleHash.ts';
import {answerOf, DatabaseError, inTransaction} from './database.ts';

/** Thrown if a page cannot be opened. The message says why, without a subject, such as `is damaged: a.png`. */
export class PageStoreError extends Error {
  override readonly name = 'PageStoreError';
}

/** What the database holds about a page, apart from its files. */
export interface StoredPage {
  readonly hash: string;
  readonly document: BundleDocument;
  /** Total size of the page's files. */
  readonly bytes: number;
  readonly usedMs: number;
}

interface StoredFiles {
  readonly hash: string;
  readonly files: readonly BundleFile[];
}

/**
 * The pages that the user has opened, in the browser's database. When all pages together have more than
 * {@link MOST_BYTES}, the least recently used are removed.
 */
export class PageStore {
  /** Stores a page, and returns the hash that names it. @throws DatabaseError */
  async put({document, files}: Bundle): Promise<string> {
    const hash = bundleHash(document.objects);
    const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
    // The bytes of a page may be parts of a large array, and the browser would store the whole array.
    const own = files.map(file => ({path: file.path, bytes: file.bytes.slice()}));
    await inTransaction(['pages', 'files'], 'readwrite', async (pages, stored) => {
      pages?.put({hash, document, bytes, usedMs: Date.now()} satisfies StoredPage);
      stored?.put({hash, files: own} satisfies StoredFiles);
      let sum = 0;
      for (const page of newestFirst(pages === undefined ? [] : await answerOf(pages.getAll()))) {
        sum += page.bytes;
        if (sum <= MOST_BYTES || page.hash === hash) continue;
        pages?.delete(page.hash);
        stored?.delete(page.hash);
      }
    });
    return hash;
  }

  /** Opens a page, and checks its content against its hash. @throws PageStoreError */
  async open(hash: string): Promise<Bundle> {
    try {
      const [page, stored] = await inTransaction(['pages', 'files'], 'readwrite', async (pages, files) => {
        if (pages === undefined || files === undefined) return [];
        const found: readonly [StoredPage | undefined, StoredFiles | undefined] = [
          await answerOf(pages.get(hash)),
          await answerOf(files.get(hash)),
        ];
        if (found[0] !== undefined) pages.put({...found[0], usedMs: Date.now()});
        return found;
      });
      if (page === undefined || stored === undefined) throw new PageStoreError('is not stored in this browser');
      const differing = differingFile(stored.files, page.document.objects);
      if (differing !== undefined || bundleHash(page.document.objects) !== hash) {
        throw new PageStoreError(`is damaged: ${differing ?? 'its list of files'}`);
      }
      return {document: page.document, files: stored.files};
    } catch (error) {
      throw error instanceof DatabaseError ? new PageStoreError(`cannot be read: ${error.message}`) : error;
    }
  }

  /** Lists all pages, the most recently used first. Empty if the browser does not let this site store anything. */
  async list(): Promise<readonly StoredPage[]> {
    try {
      return await inTransaction(['pages'], 'readonly', async pages =>
        newestFirst(pages === undefined ? [] : await answerOf(pages.getAll())),
      );
    } catch (error) {
      if (error instanceof DatabaseError) return [];
      throw error;
    }
  }
}

function newestFirst(pages: readonly StoredPage[]): readonly StoredPage[] {
  return pages.toSorted((a, b) => b.usedMs - a.usedMs);
}

/** Largest size of all pages together, in bytes. At least four of the largest pages fit. */
const MOST_BYTES = 200_000_000;
