import {resolve} from 'node:path';
import type {Json} from '../../app/base/json.ts';
import {refusal} from '../../app/base/refusal.ts';
import type {
  AboutPage,
  CapturesAnswer,
  KeptPage,
  OpenedPageAnswer,
  OpeningProgress,
  Refusal,
  SavedPageAnswer,
} from '../../app/host/contract.ts';
import type {TraceFile} from '../../app/run/trace/joinRuns.ts';
import {encodeRun} from '../../app/run/trace/runFile.ts';
import {CaptureError, openCaptures} from '../captures/openCaptures.ts';
import {FileError} from '../files/fileError.ts';
import {FetchError} from '../pages/base/pageErrors.ts';
import {chosenGateway, fetchByChosen} from '../pages/gateway/chosenGateway.ts';
import {openInOwnProcess} from '../pages/gateway/gatewayProcess.ts';
import type {StartProcess} from '../pages/gateway/ownProcess.ts';
import type {Bundle} from '../pages/store/bundle.ts';
import {bundleSource, openedPage} from '../pages/store/bundle.ts';
import {BundleError, BundleStore} from '../pages/store/bundleStore.ts';
import {bundleZip} from '../pages/store/bundleZip.ts';
import {isOpenable} from './openedFile.ts';
import {SentFiles} from './sentFiles.ts';

export interface PageOpeningsOptions {
  /** The bundled module of the gateway's process. */
  readonly module: URL;
  /** Starts that process. By default it is a process of Node. */
  readonly startProcess?: StartProcess | undefined;
  readonly onProgress: (progress: OpeningProgress) => void;
  readonly store?: BundleStore;
}

/**
 * Opens pages for windows. A page is fetched, or made from the files that the window sends. Each page is stored as a
 * bundle.
 */
export class PageOpenings {
  readonly #options: PageOpeningsOptions;
  readonly #store: BundleStore;
  readonly #sent = new SentFiles();
  #resolved = 0;
  readonly #running = new Map<string, AbortController>();

  constructor(options: PageOpeningsOptions) {
    this.#options = options;
    this.#store = options.store ?? new BundleStore();
  }

  /** @throws TypeError, RangeError if a piece is invalid, or if too many bytes or files are sent */
  sendPiece(opening: unknown, path: unknown, base64: unknown): void {
    this.#sent.add(String(opening), path, base64);
  }

  openSent(opening: unknown): Promise<OpenedPageAnswer> {
    const name = String(opening);
    const files = this.#sent.take(name);
    const {module, startProcess} = this.#options;
    return this.#open(name, signal => openInOwnProcess({files}, {module, startProcess, signal}));
  }

  openCaptures(opening: unknown): Promise<CapturesAnswer> {
    const files = this.#sent.take(String(opening)).map(({path, bytes}) => ({name: path, bytes}));
    return this.readCaptures(files, String(opening));
  }

  /** Reads captures and key logs. `name` names the opening, so that it can be cancelled. */
  readCaptures(files: readonly TraceFile[], name: string): Promise<CapturesAnswer> {
    return this.#answer(name, async signal => {
      const opened = await openCaptures(files, signal, this.#store);
      return {ok: true, traces: opened.map(({file, run}) => ({name: file, bytes: encodeRun(run)}))};
    });
  }

  /**
   * Returns the bytes of the first file that was sent for an opening, or no bytes if no file was sent. Forgets all
   * files of this opening.
   */
  takeSent(opening: unknown): Uint8Array {
    return this.#sent.take(String(opening))[0]?.bytes ?? new Uint8Array();
  }

  openAddress(
    opening: unknown,
    address: unknown,
    isPrivateAllowed: unknown,
    usesBrowser: unknown,
  ): Promise<OpenedPageAnswer> {
    const name = String(opening);
    const request = {
      address: String(address),
      isProgressive: false,
      isPrivateAllowed: isPrivateAllowed === true,
      usesBrowser: usesBrowser === true,
    };
    const {module, startProcess, onProgress} = this.#options;
    return this.#open(name, async signal => {
      const gateway = chosenGateway();
      if (request.usesBrowser && gateway !== undefined) throw new FetchError(NO_BROWSER_THERE);
      return fetchByChosen(request, {
        gateway,
        module,
        startProcess,
        signal,
        onProgress: (done, all) => onProgress({opening: name, done, all}),
      });
    });
  }

  cancel(opening: unknown): void {
    const name = String(opening);
    this.#sent.take(name);
    this.#running.get(name)?.abort(new FetchError('cancelled'));
  }

  async keptPages(): Promise<readonly KeptPage[]> {
    const all = await this.#store.list();
    return all.slice(0, MOST_LISTED).map(({hash, document, bytes}) => ({...openedPage(hash, document), bytes}));
  }

  async aboutPage(bundle: unknown): Promise<AboutPage | null> {
    try {
      const {document} = await this.#store.open(String(bundle));
      const {date, notLoaded, leftOut} = document;
      return {page: bundleSource(String(bundle), document), date, notLoaded, leftOut};
    } catch (error) {
      if (error instanceof BundleError) return null;
      throw error;
    }
  }

  async savePage(bundle: unknown): Promise<SavedPageAnswer> {
    try {
      return {ok: true, zip: await bundleZip(await this.#store.open(String(bundle)))};
    } catch (error) {
      if (error instanceof BundleError) return refusal(`the page ${error.message}`);
      throw error;
    }
  }

  /**
   * Turns the page that a scenario names into a page that the engine can open. The file of a page, or a folder without
   * an index.html, is opened and stored. Everything else is returned unchanged, including an address: its page is
   * fetched only if the user asks for it.
   */
  async resolved(page: Json): Promise<{readonly ok: true; readonly page: Json} | Refusal> {
    if (typeof page !== 'string' || !isOpenable(page)) return {ok: true, page};
    this.#resolved += 1;
    const {module, startProcess} = this.#options;
    const answer = await this.#open(`file ${this.#resolved}`, signal =>
      openInOwnProcess({path: resolve(page)}, {module, startProcess, signal}),
    );
    return answer.ok ? {ok: true, page: {...answer.page}} : answer;
  }

  /** Cancels all openings. */
  close(): void {
    for (const abort of this.#running.values()) abort.abort(new FetchError('the program ends'));
  }

  #open(opening: string, get: (signal: AbortSignal) => Promise<Bundle>): Promise<OpenedPageAnswer> {
    return this.#answer(opening, async signal => {
      const bundle = await get(signal);
      return {ok: true, ...openedPage(await this.#store.put(bundle, signal), bundle.document)};
    });
  }

  /**
   * Returns what `get` returns, or a refusal if `get` throws one of the errors {@link KNOWN}. If another opening with
   * this name is still running, cancels it.
   */
  async #answer<T>(
    opening: string,
    get: (signal: AbortSignal) => Promise<T>,
  ): Promise<T | (Refusal & {readonly isPrivate?: true})> {
    const abort = new AbortController();
    const {signal} = abort;
    this.#running.get(opening)?.abort(new FetchError('it was opened again'));
    this.#running.set(opening, abort);
    try {
      return await get(signal);
    } catch (error) {
      if (error instanceof FetchError && error.isPrivate) return {...refusal(error.message), isPrivate: true};
      if (KNOWN.some(kind => error instanceof kind)) return refusal((error as Error).message);
      throw error;
    } finally {
      if (this.#running.get(opening) === abort) this.#running.delete(opening);
    }
  }
}

/** Errors that a page, a capture, a disk or the gateway may cause. Any other error is a bug, and is thrown. */
const KNOWN = [FetchError, FileError, BundleError, CaptureError, RangeError];

const NO_BROWSER_THERE =
  'INTERLEAVE_GATEWAY is set, so another machine fetches pages, but Chromium can record them only on this machine: ' +
  'start Interleave without this variable, or do not choose Chromium';

/** Largest number of pages in the window's list. */
const MOST_LISTED = 30;
