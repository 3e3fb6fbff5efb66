import type {Json} from '../../../app/base/json.ts';
import {refusal} from '../../../app/base/refusal.ts';
import {CALLS, type Host, type HostCalls, type HostEvents, type OpenedDocument} from '../../../app/host/contract.ts';
import {MOST_PANES} from '../../../app/run/scenario/scenario.ts';
import {programVersion} from '../../files/program.ts';
import {Engine} from '../../workers/engine.ts';
import {HeldRuns} from '../heldRuns.ts';
import {desktopOnly} from './desktopOnly.ts';
import {DraftStore} from './draftStore.ts';
import {PageOpenings} from './pageOpenings.ts';
import {RememberedItem} from './rememberedItem.ts';
import {SiteMovies} from './siteMovies.ts';

export interface SiteOptions {
  /** The address of the site's folder, with a slash at its end. */
  readonly root: URL;
  /** The address of the bundle of engineWorker.ts. */
  readonly engineWorker: URL;
  /** The address of the bundle of openWorker.ts. */
  readonly openWorker: URL;
  /** The document that the address of the page contains. Null if it contains none. */
  readonly opened: OpenedDocument | null;
  /** Whether the window's state is stored for the next visit. This is false for an embedded window. */
  readonly isRemembered: boolean;
}

/** A host, and a function that sends an event to its window. */
export interface SiteHost {
  readonly host: Host;
  readonly emit: <E extends keyof HostEvents>(event: E, value: HostEvents[E]) => void;
}

/** Makes the host of a window on a static site. It lives in the window's page, and computes runs in Web Workers. */
export function openSiteHost(options: SiteOptions): SiteHost {
  const listeners = new Map<string, Set<(value: never) => void>>();
  const emit: SiteHost['emit'] = (event, value) => {
    for (const listener of listeners.get(event) ?? []) (listener as (value: unknown) => void)(value);
  };
  const engine = new Engine({
    worker: options.engineWorker,
    fixtures: new URL('pages/', options.root).href,
    // a window loads all of its panes at the same time
    threads: Math.min(navigator.hardwareConcurrency, MOST_PANES),
    onState: state => emit('engine', state),
  });
  const movies = new SiteMovies({root: options.root, onRecording: state => emit('recording', state)});
  const calls = callsOf(engine, movies, options);
  const call =
    (name: keyof HostCalls) =>
    // if a call throws, its promise is rejected, as in the other shells
    async (...args: readonly unknown[]): Promise<unknown> =>
      (calls[name] as (...args: readonly unknown[]) => unknown)(...args);
  const on = (event: string, listener: (value: never) => void): (() => void) => {
    const all = listeners.get(event) ?? new Set();
    listeners.set(event, all.add(listener));
    return () => all.delete(listener);
  };
  const host = {...Object.fromEntries(CALLS.map(name => [name, call(name)])), on} as unknown as Host;
  return {host, emit};
}

type Calls = {[K in keyof HostCalls]: (...args: Parameters<HostCalls[K]>) => Promised<ReturnType<HostCalls[K]>>};
type Promised<T> = T | Promise<T>;

function callsOf(engine: Engine, movies: SiteMovies, {root, openWorker, opened, isRemembered}: SiteOptions): Calls {
  const openings = new PageOpenings(openWorker);
  const runs = new HeldRuns();
  const drafts = new DraftStore();
  const item = new RememberedItem(isRemembered);
  return {
    start: () => ({
      shell: 'site',
      version: programVersion(),
      opened,
      remembered: item.read(),
      engine: engine.state,
      recording: {kind: 'idle'},
      linkAddress: root.href,
    }),
    pageNames: async () => {
      const names = await engine.pageNames();
      return 'ok' in names ? [] : names;
    },
    openPage: (page, run, conversions) => engine.openPage(page, run, conversions),
    heldPage: hash => engine.heldPage(hash),
    load: (scenario, hash, run, assumption) => engine.load(scenario, hash, run, assumption),
    loadLive: () => desktopOnly('Live loads'),
    // null says that no path answers: a page cannot reach `interleave path`
    askPath: (_live: string, change: Json | null) =>
      change === null ? null : desktopOnly('Changes of a running path'),
    loadSeeds: (scenario, hash, seeds, run, eye, hasCauses) =>
      engine.loadSeeds(scenario, hash, seeds, run, eye, hasCauses),
    packetParts: (scenario, hash, pane, row, run) => engine.packetParts(scenario, hash, pane, row, run),
    capture: (scenario, hash, pane, run) => engine.capture(scenario, hash, pane, run),
    cancelLoad: run => engine.cancelLoad(run),
    sendPiece: (opening, path, base64) => openings.sendPiece(opening, path, base64),
    openSent: opening => openings.openSent(opening),
    openCaptures: async opening => {
      openings.cancel(opening);
      return refusal('the web edition cannot read captures: use the desktop program, or the command interleave open');
    },
    openAddress: (_opening, address) => desktopOnly(`Pages of the web (${address.slice(0, LONGEST_SHOWN)})`),
    cancelOpening: opening => openings.cancel(opening),
    keptPages: () => openings.keptPages(),
    aboutPage: bundle => openings.aboutPage(bundle),
    savePage: bundle => openings.savePage(bundle),
    holdRun: opening => runs.hold(openings.takeSent(opening)),
    heldRun: run => runs.get(run),
    record: request => movies.record(request),
    takePicture: () => desktopOnly('Stills and filmstrips'),
    cancelRecording: () => movies.cancel(),
    keptDrafts: () => drafts.list(),
    keepDraft: (id, base, writer, story) => drafts.keep(id, base, writer, story),
    removeDraft: (id, revision) => drafts.remove(id, revision),
    remember: remembered => item.write(remembered),
    // the page asks for full screen itself
    setFullScreen: () => false,
    showRecorded: () => undefined,
  };
}

/** How many characters of an address are shown in a message. */
const LONGEST_SHOWN = 100;
