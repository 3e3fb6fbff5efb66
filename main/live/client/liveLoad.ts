import {type PageSnapshot, pageStamp} from '../../../app/page/page.ts';
import type {Pane} from '../../../app/pipelines/index.ts';
import {type LiveTrace, loadPaneLive} from '../../../app/run/load/loadPane.ts';
import {TraceRecorder} from '../../../app/run/load/traceRecorder.ts';
import {scenarioDocument} from '../../../app/run/scenario/document.ts';
import {livePathOf} from '../../../app/run/scenario/livePath.ts';
import type {Scenario} from '../../../app/run/scenario/scenario.ts';
import type {Run} from '../../../app/run/trace/runFile.ts';
import type {TraceData} from '../../../app/run/trace/traceData.ts';
import {startClock} from '../../net/clock.ts';
import {type LiveAddress, resolveLive} from '../base/liveAddress.ts';
import type {TokenFor} from '../base/liveToken.ts';
import {otherPageAt} from '../base/servedPage.ts';
import {NO_BLOCKED, NO_CHUNKS, NO_PACKETS, NO_SAMPLES} from './joinedTraces.ts';
import {RealNetwork} from './realNetwork.ts';

export interface LiveLoadOptions {
  /** An abort ends the load and closes all of its sockets. */
  readonly signal: AbortSignal;
  /**
   * What happens after an abort. 'reject' rejects {@link LiveLoad.run}. 'keep' ends every unfinished pane, and the
   * result contains what was loaded until then. 'reject' by default.
   */
  readonly atAbort?: 'reject' | 'keep';
  /** The index of the pane that loads first, if panes load one after the other. 0 by default. */
  readonly firstPane?: number;
  /** Returns the token for a server. Undefined if no server requires one. */
  readonly tokenFor?: TokenFor | undefined;
  /** Called with one line for the user if a server serves another page than the expected one. */
  readonly onNote?: (line: string) => void;
}

/**
 * One load of a page from live servers. The panes load one after the other, so that they do not share bandwidth. If the
 * scenario's path has `atOnce`, all panes load at the same time. The servers are expected to serve `page`, and the
 * result shows the names and sizes of objects in `page`.
 */
export class LiveLoad {
  readonly #page: PageSnapshot;
  readonly #scenario: Scenario;
  readonly #options: LiveLoadOptions;
  readonly #panes: (() => TraceData)[];

  constructor(page: PageSnapshot, scenario: Scenario, options: LiveLoadOptions) {
    this.#page = page;
    this.#scenario = scenario;
    this.#options = options;
    this.#panes = scenario.panes.map(pane => {
      const waiting = traceBefore(page, pane);
      return () => waiting;
    });
  }

  /**
   * Runs the load. Call this once. @throws LiveError if a server's host name cannot be resolved; the signal's reason
   * after an abort, if `atAbort` is 'reject'
   */
  async run(): Promise<Run> {
    const {panes, path} = this.#scenario;
    const {tokenFor, onNote} = this.#options;
    const places = await Promise.all(panes.map(pane => resolveLive(livePathOf(this.#scenario, pane)?.live ?? '')));
    this.#check();
    for (const place of onNote === undefined ? [] : distinct(places)) {
      const token = tokenFor?.(place.live);
      const note = await otherPageAt(place, this.#page, {signal: this.#options.signal, token});
      if (note !== null) onNote?.(note);
    }
    this.#check();
    const loads = places.map((place, number) => () => this.#loadPane(number, place));
    if (path.atOnce) await Promise.all(loads.map(load => load()));
    else {
      const first = this.#options.firstPane ?? 0;
      for (const load of [...loads.slice(first), ...loads.slice(0, first)]) await load();
    }
    return this.soFar();
  }

  /** The traces up to now. Panes that have not finished have the outcome `loading`. */
  soFar(): Run {
    return {
      scenario: scenarioDocument(this.#scenario),
      page: pageStamp(this.#page),
      panes: this.#panes.map(soFar => soFar()),
    };
  }

  #check(): void {
    const {signal, atAbort} = this.#options;
    if (atAbort !== 'keep') signal.throwIfAborted();
  }

  async #loadPane(number: number, place: LiveAddress): Promise<void> {
    const {signal, tokenFor, atAbort} = this.#options;
    const pane = this.#scenario.panes[number];
    if (pane === undefined) return;
    this.#check();
    const clock = startClock();
    const {tcp, fingerprint} = livePathOf(this.#scenario, pane) ?? {};
    const network = new RealNetwork({...place, clock, tcp, fingerprint});
    let end = (): void => undefined;
    const ended = new Promise<never>((_, reject) => {
      end = () => (atAbort === 'keep' ? network.interrupt() : reject(signal.reason));
      if (signal.aborted) end();
      signal.addEventListener('abort', end);
    });
    try {
      const load = loadPaneLive(network, this.#page, pane, {
        discovery: this.#scenario.discovery,
        timeLimitNs: Math.round(this.#scenario.timeLimitMs * 1e6),
        // The scenario's think time and the path's rate are for simulated servers. A live server does not use them.
        thinkNs: 0,
        rateBps: 0,
        retryNs: RETRY_NS,
        token: tokenFor?.(place.live),
        onStart: (trace: LiveTrace) => {
          this.#panes[number] = () => trace.soFar(clock());
        },
      });
      const data = await Promise.race([load, ended]);
      this.#panes[number] = () => data;
    } finally {
      signal.removeEventListener('abort', end);
      network.close();
    }
  }
}

/** The trace of a pane that has not started to load. */
function traceBefore(page: PageSnapshot, pane: Pane): TraceData {
  return new TraceRecorder(pane, page).finish(
    {outcome: 'loading', reason: 'waits for its turn'},
    {packets: NO_PACKETS, chunks: NO_CHUNKS, samples: NO_SAMPLES, blocked: NO_BLOCKED},
  );
}

function distinct(places: readonly LiveAddress[]): readonly LiveAddress[] {
  return [...new Map(places.map(place => [place.live, place])).values()];
}

/** Time in ns after which a write is tried again if an association's send buffer was full. */
const RETRY_NS = 5e6;
