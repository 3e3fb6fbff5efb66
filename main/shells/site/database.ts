/** Thrown if the browser does not let this page store anything, or has no room left. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
}

/** The object stores of the database, each with the property that is the key of its records. */
const STORES = {pages: 'hash', files: 'hash', drafts: 'id'} as const;

export type StoreName = keyof typeof STORES;

/**
 * Runs `use` in one transaction on the web edition's database, which all windows of the site share. Either all changes
 * that `use` requests are stored, or none. None are stored if `use` throws. `use` may wait only for its own requests,
 * because the browser ends a transaction that has no requests. @throws DatabaseError; what `use` throws
 */
export async function inTransaction<T>(
  names: readonly StoreName[],
  mode: IDBTransactionMode,
  use: (...stores: readonly IDBObjectStore[]) => Promise<T>,
): Promise<T> {
  try {
    const database = await opened();
    try {
      const transaction = database.transaction(names, mode);
      const ended = new Promise<void>((resolve, reject) => {
        transaction.oncomplete = () => resolve();
        transaction.onabort = () => reject(transaction.error);
      });
      // if `use` fails, nobody waits for the end
      ended.catch(() => undefined);
      try {
        const result = await use(...names.map(name => transaction.objectStore(name)));
        await ended;
        return result;
      } catch (error) {
        abort(transaction);
        // if a request fails, all later requests fail with an AbortError, and the transaction has the first error
        throw transaction.error ?? error;
      }
    } finally {
      database.close();
    }
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    const isFull = error.name === 'QuotaExceededError';
    throw new DatabaseError(isFull ? 'the browser has no room left' : 'the browser stores nothing for this page');
  }
}

function abort(transaction: IDBTransaction): void {
  try {
    transaction.abort();
  } catch {
    // it has ended already
  }
}

/** Waits for the result of a request. */
export function answerOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function opened(): Promise<IDBDatabase> {
  if (typeof indexedDB === 'undefined') throw new DatabaseError('the browser stores nothing for this page');
  const request = indexedDB.open('interleave', 1);
  request.onupgradeneeded = () => {
    for (const [name, keyPath] of Object.entries(STORES)) request.result.createObjectStore(name, {keyPath});
  };
  return answerOf(request);
}
