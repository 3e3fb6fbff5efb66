import {afterEach, beforeEach, expect, test, vi} from 'vitest';
import {answerOf, inTransaction} from './database.ts';

type FakeRequest = Partial<Pick<IDBRequest, 'onsuccess' | 'onerror' | 'result' | 'error'>>;

/** Number of records for which the browser has room. */
const ROOM = 2;

/** The records that are stored. */
let stored: string[] = [];

/**
 * A transaction on a store of texts. As in browsers, a request that fails aborts the transaction, and all later
 * requests fail with an AbortError (Indexed Database API 3.0 §5.5).
 */
class FakeTransaction {
  oncomplete: (() => void) | undefined;
  onabort: (() => void) | undefined;
  error: DOMException | null = null;
  readonly #waiting: (readonly [request: FakeRequest, work: () => unknown])[] = [];
  readonly #records = [...stored];
  #hasEnded = false;

  constructor() {
    setImmediate(() => this.#step());
  }

  objectStore() {
    return {
      getAll: () => this.#ask(() => this.#records),
      put: (record: string) =>
        this.#ask(() => {
          if (this.#records.push(record) > ROOM) throw new DOMException('full', 'QuotaExceededError');
        }),
    };
  }

  abort(): void {
    if (this.#hasEnded) throw new DOMException('it has ended', 'InvalidStateError');
    this.#abort(null);
  }

  #ask(work: () => unknown): FakeRequest {
    if (this.#hasEnded) throw new DOMException('it has ended', 'TransactionInactiveError');
    const request: FakeRequest = {};
    this.#waiting.push([request, work]);
    return request;
  }

  #step(): void {
    if (this.#hasEnded) return;
    const [request, work] = this.#waiting.shift() ?? [];
    if (request === undefined || work === undefined) {
      this.#hasEnded = true;
      stored = this.#records;
      this.oncomplete?.();
      return;
    }
    try {
      Object.assign(request, {result: work()});
      call(request.onsuccess);
    } catch (error) {
      Object.assign(request, {error});
      call(request.onerror);
      this.#abort(error as DOMException);
    }
    setImmediate(() => this.#step());
  }

  #abort(error: DOMException | null): void {
    this.#hasEnded = true;
    this.error = error;
    setImmediate(() => {
      for (const [request] of this.#waiting) {
        Object.assign(request, {error: new DOMException('aborted', 'AbortError')});
        call(request.onerror);
      }
      this.onabort?.();
    });
  }
}

function call(listener: IDBRequest['onsuccess'] | undefined): void {
  (listener as (() => void) | null | undefined)?.();
}

beforeEach(() => {
  stored = ['old'];
  const database = {transaction: () => new FakeTransaction(), close: () => undefined};
  const open = () => {
    const request: FakeRequest = {result: database};
    setImmediate(() => call(request.onsuccess));
    return request;
  };
  vi.stubGlobal('indexedDB', {open});
});
afterEach(() => void vi.unstubAllGlobals());

/** Stores these records, and calls `then` after the requests for this. */
const put = (records: readonly string[], then: (store: IDBObjectStore) => Promise<unknown>) =>
  inTransaction(['pages'], 'readwrite', async store => {
    for (const record of records) store?.put(record);
    if (store !== undefined) await then(store);
  });

test('a transaction stores all changes', async () => {
  await put(['new'], store => answerOf(store.getAll()));
  expect(stored).toEqual(['old', 'new']);
});

test('a transaction without room for its changes says so, also if it waits for another request', async () => {
  const full = {name: 'DatabaseError', message: 'the browser has no room left'};
  await expect(put(['1', '2'], async () => undefined)).rejects.toMatchObject(full);
  await expect(put(['1', '2'], store => answerOf(store.getAll()))).rejects.toMatchObject(full);
  await expect(put(['1'], store => answerOf(store.put('2')))).rejects.toMatchObject(full);
  expect(stored).toEqual(['old']);
});

test('a transaction whose function throws stores none of its changes', async () => {
  const fails = async (store: IDBObjectStore) => {
    await answerOf(store.getAll());
    throw new RangeError('too many');
  };
  await expect(put(['new'], fails)).rejects.toThrow(new RangeError('too many'));
  await new Promise(resolve => setTimeout(resolve, 20));
  expect(stored).toEqual(['old']);
});
