import {availableParallelism} from 'node:os';
import {join} from 'node:path';
import type {Json} from '../../app/base/json.ts';
import {
  CALLS,
  type HeldRunAnswer,
  type HostCalls,
  type HostEvents,
  type OpenedDocument,
  type PageAnswer,
} from '../../app/host/contract.ts';
import {MOST_PANES} from '../../app/run/scenario/scenario.ts';
import type {Studio} from '../media/studio/studio.ts';
import type {StartProcess} from '../pages/gateway/ownProcess.ts';
import {Engine} from '../workers/engine.ts';
import {askPath} from './askPath.ts';
import {HeldRuns} from './heldRuns.ts';
import {KeptDrafts} from './keptDrafts.ts';
import {Movies} from './movies.ts';
import type {OpenedFiles} from './openedFile.ts';
import {PageOpenings} from './pageOpenings.ts';
import {RememberedFile} from './rememberedFile.ts';
import {type LiveModule, WindowLiveLoads} from './windowLiveLoads.ts';

/** A function that receives every event of the host. */
export type Listener = <E extends keyof HostEvents>(event: E, value: HostEvents[E]) => void;

export interface ShellOptions {
  readonly shell: 'electron' | 'web';
  /** The repository, or the folder where the program is installed. */
  readonly root: string;
  readonly version: string;
  /** The bundled module `engineWorker.ts`. */
  readonly worker: URL;
  /** The bundled module of the gateway's process. */
  readonly gateway: URL;
  /** Starts the gateway's process. By default it is a process of Node. */
  readonly startProcess?: StartProcess;
  /** The bundled module `liveLoad.ts`. */
  readonly live: URL;
  /** The document that the program was started with. Null if there was none. */
  readonly opened: OpenedFiles | null;
  /** Opens a browser for movies and pictures. */
  readonly openStudio: () => Promise<Studio>;
  readonly moviesFolder: string;
  /** Folder for the drafts of stories, and for what the window remembers until the next start. */
  readonly userFolder: string;
  /** Opens the folder of a file in the desktop's file manager. */
  readonly showFile: (path: string) => void;
  /** Turns full screen on or off. Returns false if the shell cannot do that. */
  readonly setFullScreen: (isFull: boolean) => boolean;
}

/**
 * Answers the calls of the contract (app/host/contract.ts), which are identified by their names, and sends its events.
 * Electron and the web shell connect this object to the renderer.
 */
export class ShellHost {
  readonly #options: ShellOptions;
  readonly #engine: Engine;
  readonly #movies: Movies;
  readonly #drafts: KeptDrafts;
  readonly #remembered: RememberedFile;
  readonly #openings: PageOpenings;
  readonly #runs = new HeldRuns();
  readonly #live: WindowLiveLoads;
  readonly #listeners = new Set<Listener>();
  /** The document that was opened last. A promise from when its captures are first needed. */
  #opened: OpenedFiles | Promise<OpenedDocument> | null;

  constructor(options: ShellOptions) {
    this.#options = options;
    this.#opened = options.opened;
    this.#engine = new Engine({
      worker: options.worker,
      fixtures: join(options.root, 'fixtures/pages'),
      // a window loads all of its panes at the same time
      threads: Math.min(availableParallelism(), MOST_PANES),
      onState: state => this.#emit('engine', state),
    });
    this.#live = new WindowLiveLoads({
      open: () => import(/* @vite-ignore */ options.live.href) as Promise<LiveModule>,
      pageOf: hash => this.#engine.heldPage(hash),
    });
    this.#openings = new PageOpenings({
      module: options.gateway,
      startProcess: options.startProcess,
      onProgress: progress => this.#emit('opening', progress),
    });
    this.#drafts = new KeptDrafts(options.userFolder);
    this.#remembered = new RememberedFile(options.userFolder);
    this.#movies = new Movies({
      openStudio: options.openStudio,
      folder: options.moviesFolder,
      showFile: options.showFile,
      onRecording: state => this.#emit('recording', state),
    });
  }

  /** @throws TypeError if there is no such call */
  async call(name: unknown, args: readonly unknown[]): Promise<unknown> {
    const call = CALLS.find(each => each === name);
    if (call === undefined) throw new TypeError(`no such call: ${String(name).slice(0, 50)}`);
    const [argument, second, third, fourth, fifth, sixth] = args;
    switch (call) {
      case 'start':
        return this.#start();
      case 'pageNames':
        return this.#pageNames();
      case 'holdRun':
        return this.holdRun(this.#openings.takeSent(argument));
      case 'heldRun':
        return this.#runs.get(argument);
      case 'record':
        return this.#movies.record(argument);
      case 'cancelRecording':
        return this.#movies.cancel();
      case 'showRecorded':
        return this.#movies.show(argument);
      case 'remember':
        return this.#remembered.write(argument);
      case 'setFullScreen':
        return this.#options.setFullScreen(argument === true);
      case 'keptDrafts':
        return this.#drafts.list();
      case 'keepDraft':
        return this.#drafts.keep(argument, second, third, fourth);
      case 'removeDraft':
        return this.#drafts.remove(argument, second);
      case 'takePicture':
        return this.#movies.take(argument);
      case 'sendPiece':
        return this.#openings.sendPiece(argument, second, third);
      case 'openSent':
        return this.#openings.openSent(argument);
      case 'openCaptures':
        return this.#openings.openCaptures(argument);
      case 'openAddress':
        return this.#openings.openAddress(argument, second, third, fourth);
      case 'cancelOpening':
        return this.#openings.cancel(argument);
      case 'keptPages':
        return this.#openings.keptPages();
      case 'aboutPage':
        return this.#openings.aboutPage(argument);
      case 'savePage':
        return this.#openings.savePage(argument);
      // `as Json` checks nothing. As in the cases above, the methods and functions that get the arguments check them.
      case 'openPage':
        return this.#openPage(argument as Json, second, third);
      case 'heldPage':
        return this.#engine.heldPage(argument);
      case 'load':
        return this.#engine.load(argument as Json, second, third, fourth);
      case 'loadLive':
        return this.#live.load(argument, second, third);
      case 'askPath':
        return askPath(argument, second);
      case 'loadSeeds':
        return this.#engine.loadSeeds(argument as Json, second, third, fourth, fifth, sixth);
      case 'packetParts':
        return this.#engine.packetParts(argument as Json, second, third, fourth, fifth);
      case 'capture':
        return this.#engine.capture(argument as Json, second, third, fourth);
      case 'cancelLoad':
        this.#live.cancel(argument);
        return this.#engine.cancelLoad(argument);
    }
  }

  /** Keeps a trace file in memory, so that pictures can be taken of its run. */
  holdRun(file: Uint8Array): HeldRunAnswer {
    return this.#runs.hold(file);
  }

  on(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Shows a document in the window. An open window receives it by an event. A window that opens later receives it with
   * the answer to `start`.
   */
  open(opened: OpenedFiles): void {
    const reading = this.#read(opened);
    this.#opened = reading;
    void reading.then(document => {
      if (this.#opened === reading) this.#emit('opened', document);
    });
  }

  async close(): Promise<void> {
    this.#openings.close();
    this.#live.close();
    await this.#drafts.close();
    await this.#remembered.close();
    await this.#movies.close();
    await this.#engine.close();
  }

  async #start(): Promise<ReturnType<HostCalls['start']>> {
    const {shell, version} = this.#options;
    const remembered = await this.#remembered.read();
    const recording = this.#movies.recording;
    const opened = await this.#lastOpened();
    return {shell, version, opened, remembered, engine: this.#engine.state, recording};
  }

  /** Returns the document that was opened last. All windows share one reading of its captures. */
  async #lastOpened(): Promise<OpenedDocument | null> {
    if (this.#opened !== null && !(this.#opened instanceof Promise)) this.#opened = this.#read(this.#opened);
    const reading = this.#opened;
    const document = await reading;
    // the user may have opened another document meanwhile
    return this.#opened === reading ? document : this.#lastOpened();
  }

  /** Converts the captures of a document to trace files. Cancels the reading of captures that were opened before. */
  async #read({captures, ...document}: OpenedFiles): Promise<OpenedDocument> {
    if (captures === undefined) return document;
    const answer = await this.#openings.readCaptures(captures, 'opened captures');
    return answer.ok ? {...document, traces: answer.traces} : {...document, problem: answer.message};
  }

  async #openPage(document: Json, run: unknown, panes: unknown): Promise<PageAnswer> {
    const resolved = await this.#openings.resolved(document);
    return resolved.ok ? this.#engine.openPage(resolved.page, run, panes) : resolved;
  }

  /** Returns the names of the pages, or no names if the engine cannot list them. */
  async #pageNames(): Promise<readonly string[]> {
    const names = await this.#engine.pageNames();
    return 'ok' in names ? [] : names;
  }

  #emit<E extends keyof HostEvents>(event: E, value: HostEvents[E]): void {
    for (const listener of this.#listeners) listener(event, value);
  }
}
