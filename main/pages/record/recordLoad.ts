import {setTimeout as sleep} from 'node:timers/promises';
import type {GatewayLimits} from '../base/gatewayLimits.ts';
import {FetchError} from '../base/pageErrors.ts';
import type {BrowserResponse, Fetcher} from '../fetch/fetcher.ts';
import {readHtml} from '../fetch/readText.ts';
import {type DevTools, DevToolsError, type DevToolsEvent} from './devTools.ts';
import {contentTypeOf} from './headers.ts';
import {lookAtDocument, type Seen, watchElements} from './look.ts';
import {type Extent, extentsOf, marked} from './marks.ts';
import {VIEWPORT} from './recordedBundle.ts';
import {type Refused, Relay, type Relayed} from './relay.ts';
import {startSealedChromium} from './sealedChromium.ts';
import type {TraceEvent} from './traceRequests.ts';

/** What was recorded during one load in a real browser. */
export interface RecordedLoad {
  /** Name and version of the browser: `Chrome/156.0.8078.108`. */
  readonly browser: string;
  readonly relayed: readonly Relayed[];
  readonly refused: readonly Refused[];
  /** Events of the browser's own trace: requests with their initiators, and tasks of scripts, style and layout. */
  readonly trace: readonly TraceEvent[];
  readonly seen: Seen;
}

export interface LoadOptions {
  readonly fetcher: Pick<Fetcher, 'exchange'>;
  readonly limits: GatewayLimits;
  readonly onProgress: (done: number, all: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Loads a page once in a real browser, which runs the page's scripts. The gateway answers all requests of the browser.
 * The load ends when its load event has fired and no request was open for {@link QUIET_MS}, or after `limits.pageMs`.
 * @throws FetchError if the page or the browser fails; the signal's reason after an abort
 */
export async function recordLoad(address: string, options: LoadOptions): Promise<RecordedLoad> {
  const {fetcher, limits, onProgress, signal} = options;
  let extents: readonly Extent[] = [];
  const edit = (response: BrowserResponse): Uint8Array => {
    const html = readHtml(response.body, contentTypeOf(response));
    extents = extentsOf(html);
    return Buffer.from(marked(html, extents));
  };
  const {tools, product, close} = await startSealedChromium();
  const stop = (): void => tools.end('the recording was cancelled');
  signal.addEventListener('abort', stop);
  try {
    // The id of a page's main frame is the id of its target.
    const relay: Relay = new Relay({tools, fetcher, limits, edit, onProgress, frameId: () => recording.targetId});
    const recording = new Recording(tools, relay);
    await recording.open(address);
    await recording.quiet(limits.pageMs);
    const seen = await lookAtDocument(tools, recording.sessionId, extents);
    const trace = await recording.trace();
    return {browser: product, relayed: relay.relayed, refused: relay.refused, trace, seen};
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof DevToolsError) throw new FetchError(`the browser failed: ${error.message}`);
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    await close();
  }
}

class Recording {
  sessionId = '';
  targetId = '';
  readonly #tools: DevTools;
  readonly #relay: Relay;
  readonly #trace: TraceEvent[] = [];
  readonly #traced: Promise<void>;
  #hasLoaded = false;
  #lastMs = performance.now();

  constructor(tools: DevTools, relay: Relay) {
    this.#tools = tools;
    this.#relay = relay;
    this.#traced = new Promise(resolve => {
      tools.listen(event => {
        relay.handleEvent(event);
        this.#handle(event, resolve);
      });
    });
  }

  /** @throws FetchError if the page cannot be loaded; DevToolsError if the browser fails */
  async open(address: string): Promise<void> {
    const tools = this.#tools;
    await tools.send('Browser.setDownloadBehavior', {behavior: 'deny'});
    await tools.send('Target.setDiscoverTargets', {discover: true});
    const {browserContextId} = await tools.send('Target.createBrowserContext');
    const created = await tools.send('Target.createTarget', {url: 'about:blank', browserContextId, ...VIEWPORT});
    this.targetId = created['targetId'];
    const attached = await tools.send('Target.attachToTarget', {targetId: this.targetId, flatten: true});
    this.sessionId = attached['sessionId'];
    await tools.send('Tracing.start', {traceConfig: {includedCategories: CATEGORIES}, transferMode: 'ReportEvents'});
    await this.#attach(this.sessionId);
    await tools.send('Page.enable', {}, this.sessionId);
    await watchElements(tools, this.sessionId);
    await tools.send(
      'Emulation.setDeviceMetricsOverride',
      {...VIEWPORT, deviceScaleFactor: 1, mobile: false},
      this.sessionId,
    );
    const {errorText} = await tools.send('Page.navigate', {url: address}, this.sessionId);
    if (errorText === undefined) return;
    const [refused] = this.#relay.refused;
    const page = this.#relay.relayed.findLast(({isPage}) => isPage);
    if (refused !== undefined) throw new FetchError(refused.why, refused.isPrivate);
    throw new FetchError(
      page === undefined ? `the browser says ${errorText}` : `the server answers ${page.response.status}`,
    );
  }

  /** Waits until the load event has fired and no request was open for {@link QUIET_MS}, but at most `mostMs`. */
  async quiet(mostMs: number): Promise<void> {
    const startMs = performance.now();
    for (;;) {
      await sleep(50);
      const now = performance.now();
      if (this.#relay.open > 0) this.#lastMs = now;
      if (this.#hasLoaded && now - this.#lastMs > QUIET_MS) return;
      if (now - startMs > mostMs) return;
    }
  }

  /** Ends the trace and returns its events. */
  async trace(): Promise<readonly TraceEvent[]> {
    await this.#tools.send('Tracing.end');
    await this.#traced;
    return this.#trace;
  }

  /** Makes a target, and all targets that it starts, pause their requests. Workers do not run before this is done. */
  async #attach(sessionId: string): Promise<void> {
    const auto = {autoAttach: true, waitForDebuggerOnStart: true, flatten: true};
    await this.#relay.attach(sessionId).catch(() => undefined);
    await this.#tools.send('Target.setAutoAttach', auto, sessionId).catch(() => undefined);
    await this.#tools.send('Network.setBypassServiceWorker', {bypass: true}, sessionId).catch(() => undefined);
    await this.#tools.send('Runtime.runIfWaitingForDebugger', {}, sessionId);
  }

  #handle({method, params}: DevToolsEvent, endTrace: () => void): void {
    if (method === 'Fetch.requestPaused') this.#lastMs = performance.now();
    else if (method === 'Page.loadEventFired') this.#hasLoaded = true;
    else if (method === 'Target.attachedToTarget' && params['waitingForDebugger'] === true) {
      void this.#attach(params['sessionId']).catch(() => undefined);
    } else if (method === 'Target.targetCreated') this.#closeOther(params['targetInfo']);
    else if (method === 'Tracing.dataCollected') this.#collect(params['value']);
    else if (method === 'Tracing.tracingComplete') endTrace();
  }

  /** Closes windows that the page opens. */
  #closeOther({targetId, type, openerId}: {targetId?: unknown; type?: unknown; openerId?: unknown}): void {
    if (type !== 'page' || targetId === this.targetId || openerId === undefined) return;
    void this.#tools.send('Target.closeTarget', {targetId}).catch(() => undefined);
  }

  #collect(events: readonly TraceEvent[]): void {
    for (const event of events) if (this.#trace.length < MOST_EVENTS) this.#trace.push(event);
  }
}

/** A load is complete when its load event has fired and no request was open for this time. */
const QUIET_MS = 1000;

/** Largest number of events of a trace. A page of 1000 objects with busy scripts has fewer. */
const MOST_EVENTS = 2_000_000;

const CATEGORIES = [
  '-*',
  'devtools.timeline',
  'disabled-by-default-devtools.timeline',
  'v8',
  'loading',
  'blink.user_timing',
];
