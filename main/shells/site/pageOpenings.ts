import {bytesOf} from '../../../app/base/bytes.ts';
import {refusal} from '../../../app/base/refusal.ts';
import type {AboutPage, KeptPage, OpenedPageAnswer, Refusal, SavedPageAnswer} from '../../../app/host/contract.ts';
import type {OpenedFile} from '../../pages/open/openFiles.ts';
import {type Bundle, bundleSource, openedPage} from '../../pages/store/bundle.ts';
import {SentFiles} from '../sentFiles.ts';
import {DatabaseError} from './database.ts';
import {PageStore, PageStoreError} from './pageStore.ts';

/** What the worker that opens a page answers. */
export type OpenerAnswer = {readonly ok: true; readonly bundle: Bundle} | Refusal;

/**
 * Opens pages from files that the window sends, each in a worker of its own, and stores them in the browser. Files that
 * are opened together belong to one opening, for which the window chooses a name.
 */
export class PageOpenings {
  readonly #worker: URL;
  readonly #store = new PageStore();
  readonly #sent = new SentFiles(base64 => bytesOf(atob(base64)));
  /** Functions that end the running openings, keyed by the opening's name. */
  readonly #running = new Map<string, (answer: Refusal) => void>();

  /** `worker` is the address of the bundle of openWorker.ts. */
  constructor(worker: URL) {
    this.#worker = worker;
  }

  sendPiece(opening: string, path: string, base64: string): void {
    this.#sent.add(opening, path, base64);
  }

  /**
   * Returns the bytes of the first file that was sent for an opening, or no bytes if no file was sent. Forgets all
   * files of this opening.
   */
  takeSent(opening: string): Uint8Array {
    return this.#sent.take(opening)[0]?.bytes ?? new Uint8Array();
  }

  async openSent(opening: string): Promise<OpenedPageAnswer> {
    this.#running.get(opening)?.(refusal('it was opened again'));
    const answer = await this.#inWorker(opening, this.#sent.take(opening));
    if (!answer.ok) return answer;
    try {
      return {ok: true, ...openedPage(await this.#store.put(answer.bundle), answer.bundle.document)};
    } catch (error) {
      if (error instanceof DatabaseError) return refusal(`the page cannot be stored: ${error.message}`);
      throw error;
    }
  }

  cancel(opening: string): void {
    this.#sent.take(opening);
    this.#running.get(opening)?.(refusal('cancelled'));
  }

  async keptPages(): Promise<readonly KeptPage[]> {
    const all = await this.#store.list();
    return all.slice(0, MOST_LISTED).map(({hash, document, bytes}) => ({...openedPage(hash, document), bytes}));
  }

  async aboutPage(bundle: string): Promise<AboutPage | null> {
    const found = (await this.#store.list()).find(({hash}) => hash === bundle);
    if (found === undefined) return null;
    const {date, notLoaded, leftOut} = found.document;
    return {page: bundleSource(bundle, found.document), date, notLoaded, leftOut};
  }

  async savePage(bundle: string): Promise<SavedPageAnswer> {
    try {
      // the library for zip files is loaded only when it is needed
      const {bundleZip} = await import('../../pages/store/bundleZip.ts');
      return {ok: true, zip: await bundleZip(await this.#store.open(bundle))};
    } catch (error) {
      if (error instanceof PageStoreError) return refusal(`the page ${error.message}`);
      throw error;
    }
  }

  /** Makes a page of files in a worker, so that a malicious file cannot block the window. */
  #inWorker(opening: string, files: readonly OpenedFile[]): Promise<OpenerAnswer> {
    const worker = new Worker(this.#worker, {type: 'module'});
    let end = (_answer: OpenerAnswer): void => undefined;
    const late = setTimeout(() => end(refusal(`it took more than ${LONGEST_MS / 1000} s to open`)), LONGEST_MS);
    return new Promise<OpenerAnswer>(resolve => {
      end = resolve;
      this.#running.set(opening, resolve);
      worker.onmessage = ({data}: MessageEvent<OpenerAnswer>) => resolve(data);
      worker.onerror = event => {
        event.preventDefault();
        resolve(refusal(`the page cannot be opened: ${event.message ?? 'the worker cannot start'}`));
      };
      worker.postMessage(files);
    }).finally(() => {
      clearTimeout(late);
      worker.terminate();
      if (this.#running.get(opening) === end) this.#running.delete(opening);
    });
  }
}

/** Largest number of pages in the window's list. */
const MOST_LISTED = 30;

/** Longest time for opening a page, in ms. The gateway has the same limit for fetching a page (`pageMs`). */
const LONGEST_MS = 60_000;
