import {createStore, type StoreApi} from 'zustand/vanilla';
import {base64} from '../../../app/base/bytes.ts';
import {refusalOf} from '../../../app/base/refusal.ts';
import {showName} from '../../../app/base/text.ts';
import {
  type AboutPage,
  type CapturesAnswer,
  type Host,
  type KeptPage,
  LARGEST_PIECE_BYTES,
  MOST_SENT_BYTES,
  type OpenedPageAnswer,
  type Refusal,
} from '../../../app/host/contract.ts';
import type {BundleSource, PageSource} from '../../../app/run/scenario/pageSource.ts';
import type {Scenario} from '../../../app/run/scenario/scenario.ts';
import type {TraceFile} from '../../../app/run/trace/joinRuns.ts';
import {comparedScenario} from '../../session/compared.ts';
import type {FeatureState} from '../../session/extension.ts';
import type {KeptPages} from '../../session/pages.ts';
import type {Session} from '../../session/session.ts';
import {pageAddress} from './typedAddress.ts';

/** The progress of a page or of captures that are being opened, or why they could not be opened. */
export type Progress =
  | {readonly kind: 'idle'}
  /** `all` is 0 until it is known. `unit` says what `done` and `all` count. */
  | {
      readonly kind: 'busy';
      readonly name: string;
      readonly done: number;
      readonly all: number;
      readonly unit: Unit;
    }
  /** `allow` tries again and allows private addresses. It is null if private addresses were not the reason. */
  | {readonly kind: 'failed'; readonly message: string; readonly allow: (() => void) | null};

/**
 * What the progress counts: the page's objects, the requests of a Chromium that loads the page, or the files that are
 * sent. Chromium makes more requests than the page has objects.
 */
type Unit = 'objects' | 'requests' | 'files';

export interface OpenerState {
  readonly progress: Progress;
  /**
   * Whether pages that are opened by their address are loaded in an installed Chromium, whose requests are recorded.
   */
  readonly usesBrowser: boolean;
  /**
   * What the host knows about the page on screen. Null until the host has answered. It stays null if the page was not
   * opened from an address or from files.
   */
  readonly about: AboutPage | null;
}

/** A file with its path. If a folder was opened, the path begins with the folder's name. */
export interface PathFile {
  readonly path: string;
  readonly file: Blob;
}

/** Shows a page that was opened. `isRecorded` says whether a load of the page in Chromium was recorded. */
export type Show = (page: BundleSource, isRecorded?: boolean) => void;

/** Asks the host to open pages and captures, one at a time. A newer request replaces the current one. */
export class PageOpener {
  readonly store: StoreApi<OpenerState> = createStore(() => ({
    progress: IDLE,
    usesBrowser: false,
    about: null,
  }));
  readonly #host: Host;
  readonly #kept: Pick<KeptPages, 'read'>;
  readonly #show: Show;
  /** The id of the opening under way; null if there is none. It is random, so that no other window uses the same id. */
  #opening: string | null = null;
  /** The bundle of the page on screen. Null if the page was not opened from an address or from files. */
  #bundleOnScreen: string | null = null;

  /**
   * `show` is called with each opened page, unless the call that opened the page has a `show` of its own. `kept` is
   * read again after the host has opened a page.
   */
  constructor(host: Host, kept: Pick<KeptPages, 'read'>, show: Show) {
    this.#host = host;
    this.#kept = kept;
    this.#show = show;
    host.on('opening', ({opening, done, all}) => {
      const {progress} = this.store.getState();
      if (opening === this.#opening && progress.kind === 'busy') this.#setProgress({...progress, done, all});
    });
  }

  /** Fetches the page at an address, and calls `show` with the page. */
  openAddress(address: string, show = this.#show): void {
    void this.#fetch(address, false, show);
  }

  /** Chooses whether pages that are opened by their address from now on are loaded in an installed Chromium. */
  chooseBrowser(usesBrowser: boolean): void {
    this.store.setState({usesBrowser});
  }

  /** Shows a page that was opened before. */
  openKept({page, isRecorded}: KeptPage): void {
    this.cancel();
    this.#show(page, isRecorded);
  }

  /** Asks the host to make a page of files. When the page is made, calls `show` with it, and then calls `then`. */
  openFiles(name: string, files: readonly PathFile[], show = this.#show, then?: () => void): void {
    const get = async (opening: string): Promise<OpenedPageAnswer> => {
      await this.#sendAll(opening, name, files);
      return this.#host.openSent(opening);
    };
    const shown: Show = (page, isRecorded) => {
      show(page, isRecorded);
      then?.();
    };
    void this.#open(name, 'files', get, shown);
  }

  /** Asks the host to read captures and key logs. Then calls `show` once, with a trace file for each captured load. */
  openCaptures(name: string, files: readonly PathFile[], show: (traces: readonly TraceFile[]) => void): void {
    const get = async (opening: string): Promise<CapturesAnswer> => {
      await this.#sendAll(opening, name, files);
      return this.#host.openCaptures(opening);
    };
    void this.#ask<Extract<CapturesAnswer, {ok: true}>>(name, 'files', get, ({traces}) => show(traces));
  }

  cancel(): void {
    const opening = this.#opening;
    this.#opening = null;
    this.#setProgress(IDLE);
    if (opening !== null) void this.#host.cancelOpening(opening).catch(() => undefined);
  }

  dismiss(): void {
    this.#setProgress(IDLE);
  }

  /** Shows a message about something that could not be opened. */
  fail(message: string): void {
    this.cancel();
    this.#setProgress({kind: 'failed', message, allow: null});
  }

  /** Asks the host about the page on screen. */
  async readAbout(page: PageSource): Promise<void> {
    const bundle = page.kind === 'bundle' ? page.bundle : null;
    this.#bundleOnScreen = bundle;
    if (bundle !== null && this.store.getState().about?.page.bundle === bundle) return;
    this.store.setState({about: null});
    if (bundle === null) return;
    const about = await this.#host.aboutPage(bundle).catch(() => null);
    // answers can arrive in another order than the questions
    if (this.#bundleOnScreen === bundle) this.store.setState({about});
  }

  #fetch(address: string, isPrivateAllowed: boolean, show: Show): Promise<void> {
    const {usesBrowser} = this.store.getState();
    const again = () => void this.#fetch(address, true, show);
    const get = (opening: string) => this.#host.openAddress(opening, address, isPrivateAllowed, usesBrowser);
    return this.#open(address, usesBrowser ? 'requests' : 'objects', get, show, again);
  }

  async #open(
    name: string,
    unit: Unit,
    get: (opening: string) => Promise<OpenedPageAnswer>,
    show = this.#show,
    allow: (() => void) | null = null,
  ): Promise<void> {
    const shown = async ({page, isRecorded}: Extract<OpenedPageAnswer, {ok: true}>): Promise<void> => {
      show(page, isRecorded);
      await this.#kept.read();
    };
    await this.#ask<Extract<OpenedPageAnswer, {ok: true}>>(name, unit, get, shown, allow);
  }

  /**
   * Asks the host to open something, and calls `show` with the answer. If the host refuses, the progress says why. If
   * the user has cancelled the opening or opened something else meanwhile, the answer is ignored.
   */
  async #ask<A extends {readonly ok: true}>(
    name: string,
    unit: Unit,
    get: (opening: string) => Promise<A | (Refusal & {readonly isPrivate?: true})>,
    show: (answer: A) => void | Promise<void>,
    allow: (() => void) | null = null,
  ): Promise<void> {
    this.cancel();
    const opening = crypto.getRandomValues(new Uint32Array(4)).join('-');
    this.#opening = opening;
    this.#setProgress({kind: 'busy', name, done: 0, all: 0, unit});
    const answer = await get(opening).catch(refusalOf);
    // the user has opened something else meanwhile, or has cancelled this opening
    if (opening !== this.#opening) return;
    this.#opening = null;
    if (answer.ok) {
      this.#setProgress(IDLE);
      await show(answer);
    } else {
      const message = `${name} cannot be opened: ${answer.message}`;
      this.#setProgress({kind: 'failed', message, allow: 'isPrivate' in answer && answer.isPrivate ? allow : null});
    }
  }

  /** @throws Error if the files are too large, or if the opening was cancelled */
  async #sendAll(opening: string, name: string, files: readonly PathFile[]): Promise<void> {
    const bytes = files.reduce((sum, {file}) => sum + file.size, 0);
    if (bytes > MOST_SENT_BYTES) throw new Error(`it has ${bytes} bytes (at most ${MOST_SENT_BYTES})`);
    for (const [done, {path, file}] of files.entries()) {
      this.#checkWanted(opening);
      this.#setProgress({kind: 'busy', name, done, all: files.length, unit: 'files'});
      await this.#send(opening, path, file);
    }
    this.#checkWanted(opening);
  }

  async #send(opening: string, path: string, file: Blob): Promise<void> {
    // an empty file is sent as one empty piece
    for (let at = 0; at === 0 || at < file.size; at += LARGEST_PIECE_BYTES) {
      const bytes = await file.slice(at, at + LARGEST_PIECE_BYTES).arrayBuffer();
      this.#checkWanted(opening);
      await this.#host.sendPiece(opening, path, base64(new Uint8Array(bytes)));
    }
  }

  /**
   * Checks that this opening was not cancelled. After a cancellation the host has forgotten the files that were sent,
   * and would make a page of the remaining files. @throws Error if the opening was cancelled
   */
  #checkWanted(opening: string): void {
    if (opening !== this.#opening) throw new Error('cancelled');
  }

  #setProgress(progress: Progress): void {
    this.store.setState({progress});
  }
}

const IDLE: Progress = {kind: 'idle'};

/**
 * Returns the scenario for a page that Chromium has recorded. The model `plain` of a browser does not follow
 * recordings, so it is replaced by the model `chromium`, and `discovery` becomes `streaming`. A scenario with another
 * model or with a live path is returned unchanged.
 */
export function asRecorded(scenario: Scenario): Scenario {
  if (scenario.browser !== 'plain' || scenario.path.live !== undefined) return scenario;
  return {...scenario, browser: 'chromium', discovery: 'streaming'};
}

/** Returns a function that shows an opened page with the path and the panes of a scenario. */
function showFor(documents: Session['documents'], scenario: () => Scenario): Show {
  return (page, isRecorded) => documents.openPage(page, isRecorded ? asRecorded(scenario()) : scenario());
}

/**
 * Returns a function that shows an opened page with the path and the transports that are chosen on the start screen.
 */
export function showCompared(session: Session): Show {
  return showFor(session.documents, () => comparedScenario(session));
}

export const OPENER: FeatureState<PageOpener> = {create: openerOf};

function openerOf(session: Session): PageOpener {
  const {host, pages, documents, screen, notices} = session;
  const opener = new PageOpener(
    host,
    pages,
    showFor(documents, () => screen.wanted),
  );
  /**
   * Opens a fetched page for a scenario whose page is missing here. The fetched content can differ from the missing
   * page's content.
   */
  const openFetched = (page: BundleSource, scenario: Scenario): void => {
    const wanted = scenario.page;
    documents.openPage(page, scenario);
    if (wanted.kind === 'bundle' && wanted.bundle !== page.bundle) {
      const name = showName(page.name, LONGEST_NAME);
      notices.showMessage(`${name} has changed: the scenario was made with other content`);
    }
  };
  session.extend({
    // the host does not keep this page, but it may still be available at its address
    remedy: scenario => {
      const address = pageAddress(scenario.page);
      if (address === null) return undefined;
      const act = () => opener.openAddress(address, page => openFetched(page, scenario));
      return {label: `Fetch ${showName(address, LONGEST_NAME)}`, act};
    },
  });
  session.store.subscribe(({run}, before) => {
    if (run !== null && run.scenario !== before.run?.scenario) void opener.readAbout(run.scenario.page);
  });
  return opener;
}

/** The largest number of characters of a page's name or address in a notice. */
const LONGEST_NAME = 80;
