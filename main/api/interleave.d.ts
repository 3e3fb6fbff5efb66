// The API of the npm package, for TypeScript and JavaScript: import {load, run, measure, openPage, figure} from
// 'interleave'. docs/scripting.md has examples. Everything that these functions take and return is plain data (objects,
// arrays, texts, numbers, booleans, null, and typed arrays), except for the options `signal` and `onProgress`. Times
// whose names end in `Ms` are in ms, and times whose names end in `Ns` are in ns. Times of a run are counted from
// navigation, which is the start of the run, unless the text says otherwise. Directions are `down` (from the server to
// the client) and `up`.

/** A value of JSON. */
export type Json = string | number | boolean | null | readonly Json[] | {readonly [key: string]: Json};

/**
 * The settings of a load. Every key is optional. docs/scenario.md lists all keys with their units, ranges and defaults,
 * and `interleave/schemas/scenario.schema.json` describes them.
 */
export interface Scenario {
  /** The name of a page, the path of a folder, `{synthetic: {…}}`, or {@link Page.source}. */
  readonly page?: Json;
  /** The path: `rateBps`, `rttMs`, `loss` (0 to 1, or a model), `queuePackets`, `mtuBytes`. */
  readonly path?: Json;
  /** One to six panes: `{pipeline: 'tcp' | 'h2' | 'h3' | 'sctp' | …, …settings of the pipeline}`. */
  readonly panes?: readonly Json[];
  /** The seed of all randomness, 0 to 2^53 − 1. */
  readonly seed?: number;
  readonly discovery?: 'streaming' | 'complete';
  readonly browser?: string;
  readonly cpu?: 'recorded' | 'none' | number;
  readonly dnsMs?: number;
  readonly certificate?: 'host' | 'site' | 'page';
  readonly server?: string;
  readonly visit?: 'first' | 'again';
  readonly serverThinkMs?: number;
  readonly serverThinking?: 'concurrent' | 'in-turn';
  readonly timeLimitMs?: number;
  readonly changes?: readonly Json[];
  readonly typicalOf?: number | null;
  readonly $schema?: string;
  readonly program?: string;
}

/** The name of a preset (`interleave presets` lists them), or a scenario. */
export type ScenarioChoice = string | Scenario;

/** Thrown if an argument is not valid. The message names the value and the limit. */
export interface InputError extends Error {
  readonly name: 'InputError';
}

/** Thrown if a page cannot be opened. */
export interface PageError extends Error {
  readonly name: 'PageError';
}

/** Thrown if an address cannot be fetched. */
export interface FetchError extends Error {
  readonly name: 'FetchError';
}

/** A page with all objects that its HTML and its style sheets name. */
export interface Page {
  readonly name: string;
  /** What {@link Scenario.page} must be to load this page. */
  readonly source: Json;
  /** SHA-256 of everything that is loaded, in hexadecimal. */
  readonly hash: string;
  /** One line for each part of the page that is left out or changed. */
  readonly leftOut: readonly string[];
  /** The first object is index.html. */
  readonly objects: readonly PageObject[];
  /** The size to which the header of each response is padded. */
  readonly headerBytes: number;
  /** The size to which each GET is padded. */
  readonly requestBytes: number;
}

export interface PageObject {
  /** The path and query that the client requests, such as `/img/lake.jpg`. */
  readonly url: string;
  readonly contentType: string;
  /** Null if the server does not have the object, although the page names it. */
  readonly body: Uint8Array | null;
}

/** Identifies the page that was loaded. */
export interface PageStamp {
  readonly hash: string;
  readonly leftOut: readonly string[];
}

/**
 * Opens a page: a built-in page (`interleave pages` lists them), a folder with an index.html, an .html, .har, .mhtml or
 * .zip file, an http, https or sctp address, or a generated page `{synthetic: {objects: 10, objectBytes: 10000}}`. The
 * page of an address is fetched and then kept on disk. The {@link Page.source} of such a page, `{bundle, name}`, opens
 * the kept page again. Only addresses use the network.
 *
 * @param options `isPrivateAllowed` allows addresses that are not public, such as localhost. `signal` ends the request.
 * @throws PageError, FetchError, InputError
 */
export function openPage(
  page: string | {readonly synthetic: Json} | {readonly bundle: string; readonly name: string},
  options?: {readonly isPrivateAllowed?: boolean; readonly signal?: AbortSignal},
): Promise<Page>;

/** One load of a page: what happened in each pane. */
export interface Load {
  /** The scenario with all keys. Its `seed` is the seed of this load. */
  readonly scenario: Scenario;
  readonly page: PageStamp;
  readonly panes: readonly PaneTrace[];
}

/**
 * Loads a page once in every pane, in virtual time, and returns everything that happened. The same scenario, page and
 * seed give the same result on every machine. Live paths are refused: use `interleave run` for them.
 *
 * @param options `seed` replaces the scenario's seed. `page` is loaded instead of the scenario's page.
 * @throws InputError, PageError
 */
export function load(scenario: ScenarioChoice, options?: {readonly seed?: number; readonly page?: Page}): Promise<Load>;

export type Outcome = 'complete' | 'partial' | 'aborted' | 'time-limit' | 'work-limit' | 'loading' | 'error';

/** What happened in one pane. A table has an array for each column, and row i is the i-th value of every column. */
export interface PaneTrace {
  readonly pipeline: string;
  readonly outcome: Outcome;
  /** Why the load is incomplete. Null if it is complete. */
  readonly reason: string | null;
  /** Number of streams over all connections. */
  readonly streams: number;
  /** `client` and `server` are the numbers of the two ends, to which the columns `endpoint` refer. */
  readonly connections: readonly {readonly client: number; readonly server: number; readonly streams: number}[];
  /** The time when the first connection was established. Null if none was. */
  readonly setupNs: number | null;
  /** The time of the last event. */
  readonly endNs: number;
  readonly objects: readonly ObjectTrace[];
  /**
   * Deliveries of body bytes to the client. `first` is the offset of the first delivered byte in the object. `bytes` is
   * the number of bytes of the object that have been delivered so far.
   */
  readonly deliveries: {
    readonly object: Uint32Array;
    readonly atNs: Float64Array;
    readonly bytes: Float64Array;
    readonly first: Float64Array;
  };
  /**
   * Packets in the order of sending. `direction`: 0 down, 1 up. `bytes`: size of the IP packet. `fate`: 0 in flight, 1
   * delivered, 2 lost, 3 dropped by the full queue, 4 dropped by the queue to signal congestion, 5 dropped by the
   * policer, 6 lost because the client had left the path. `leftNs`: when the packet left the queue, NaN if it did not.
   * `fateNs`: when it arrived or was lost or dropped, NaN if it is in flight. `copyNs`: when a copy of the packet
   * arrived, NaN if there is none. `ecn`: the ECN codepoint with which the packet was sent. `marked`: 1 if a queue
   * marked the packet.
   */
  readonly packets: {
    readonly endpoint: Uint32Array;
    readonly direction: Uint8Array;
    readonly bytes: Uint32Array;
    readonly sentNs: Float64Array;
    readonly leftNs: Float64Array;
    readonly fate: Uint8Array;
    readonly fateNs: Float64Array;
    readonly copyNs: Float64Array;
    readonly ecn: Uint8Array;
    readonly marked: Uint8Array;
    readonly kind: Uint8Array;
    readonly cumulativeAck: Float64Array;
  };
  /**
   * Ranges of data in packets: the bytes of a TCP segment or UDP datagram, a DATA chunk or a STREAM frame. `packet` is
   * a row of `packets`.
   */
  readonly chunks: {
    readonly packet: Uint32Array;
    readonly first: Float64Array;
    readonly bytes: Uint32Array;
    readonly stream: Uint32Array;
    readonly message: Uint32Array;
    readonly retransmission: Uint8Array;
  };
  /** The state of the senders, a row for each change. `ssthreshBytes`: Infinity before the first loss. */
  readonly samples: {
    readonly atNs: Float64Array;
    readonly endpoint: Uint32Array;
    readonly cwndBytes: Float64Array;
    readonly ssthreshBytes: Float64Array;
    readonly flightBytes: Float64Array;
    readonly srttNs: Float64Array;
    readonly rtoNs: Float64Array;
    readonly state: Uint8Array;
    readonly timeouts: Uint32Array;
    readonly probes: Uint32Array;
  };
  /** Data that had arrived but waited for earlier data of its stream. `endNs`: NaN if it still waits. */
  readonly blocked: {
    readonly endpoint: Uint32Array;
    readonly stream: Uint32Array;
    readonly first: Float64Array;
    readonly bytes: Uint32Array;
    readonly startNs: Float64Array;
    readonly endNs: Float64Array;
  };
}

/** The load of one object. A time is null if its event never happened. */
export interface ObjectTrace {
  readonly url: string;
  readonly bytes: number;
  readonly connection: number | null;
  readonly stream: number | null;
  readonly discoveredNs: number | null;
  readonly requestNs: number | null;
  readonly firstByteNs: number | null;
  readonly completeNs: number | null;
  readonly failedNs: number | null;
  /** Why the object is incomplete: an object with a `kind`. */
  readonly failure: {readonly kind: string} | null;
}

/**
 * Computes the metrics of the papers for each pane of a load. `interleave help run` defines them.
 *
 * @param load a result of {@link load}
 * @throws InputError
 */
export function measure(load: Load): readonly PaneMetrics[];

export interface Both {
  readonly down: number;
  readonly up: number;
}

/** Times at which 25, 50, 75 and 100 % were reached. A time is null if its share was never reached. */
export interface PercentTimes {
  readonly 25: number | null;
  readonly 50: number | null;
  readonly 75: number | null;
  readonly 100: number | null;
}

/** The metrics of one pane. Page time, PPage, PRen and silent time are null if the load is incomplete. */
export interface PaneMetrics {
  readonly pipeline: string;
  readonly outcome: Outcome;
  readonly reason: string | null;
  /** Number of objects that the page names but no client can load. */
  readonly missing: number;
  /** Time from navigation until the client is connected. Null also if the pipeline needs no set-up. */
  readonly setupMs: number | null;
  /** Time from the first request until the page is complete. */
  readonly pageTimeMs: number | null;
  /** Time from the first request until every object has at least P % of its bytes. */
  readonly pPageMs: PercentTimes;
  /** The same, but from the first request of an embedded object. */
  readonly pRenMs: PercentTimes;
  /** Time since navigation until the last object is complete. Null if the load is incomplete. */
  readonly finishMs: number | null;
  /** First Contentful Paint, since navigation. */
  readonly fcpMs: number | null;
  /** Largest Contentful Paint, since navigation. */
  readonly lcpMs: number | null;
  /** The element that was painted at `lcpMs`: the URL of a picture, or `text`. */
  readonly lcpElement: string | null;
  /** DOMContentLoaded, since navigation. */
  readonly dclMs: number | null;
  /** The load event, since navigation. */
  readonly loadMs: number | null;
  /** Longest time in which the page did not change. */
  readonly silentMs: number | null;
  readonly packets: Both;
  readonly lost: Both;
  /** Packets that queues marked (ECN). Absent if no packets of the pane use ECN. */
  readonly marked?: Both;
  readonly retransmitted: number;
  /** Time during which some data waited for earlier data. */
  readonly holBlockedMs: number;
  readonly holBlockedBytes: number;
  readonly longestWaitMs: number;
  readonly objects: readonly ObjectMetrics[];
}

export interface ObjectMetrics {
  readonly url: string;
  readonly bytes: number;
  readonly stream: number | null;
  readonly requestMs: number | null;
  readonly firstByteMs: number | null;
  readonly completeMs: number | null;
  /** Time from the request until the object is complete. */
  readonly latencyMs: number | null;
  readonly failure: {readonly kind: string} | null;
}

/** The result of `run`: the same as `interleave run --json` prints. */
export interface RunResult {
  /** The program and its version, such as `interleave 0.2.0 (abc1234)`. */
  readonly program: string;
  readonly scenario: Scenario;
  /**
   * The moment from which the compared times count. If `discovery` is `complete` and every pane has a transport of the
   * papers (tcp, sctp, udp, catp) without TLS, panes are compared by `pageTimeMs` from the first request, as in the
   * papers. Otherwise, they are compared by `finishMs` from navigation.
   */
  readonly clock: 'navigation' | 'first-request';
  readonly page: PageStamp;
  readonly runs: readonly {readonly seed: number; readonly panes: readonly PaneMetrics[]}[];
  /** One entry for each pane. */
  readonly summary: readonly PaneSummary[];
  /** What the analytic model of the paper L06 (Lee et al., 2006) predicts for each pane. */
  readonly model: readonly (
    | {readonly ok: true; readonly completeMs: number; readonly pageTimeMs: number}
    | {readonly ok: false; readonly reason: string}
  )[];
}

/** Estimates over the `n` values that are known. `ci95` is the half-width of the mean's 95 % interval. */
export interface Estimate {
  readonly n: number;
  readonly mean: number | null;
  readonly median: number | null;
  readonly ci95: number | null;
}

export interface PercentEstimates {
  readonly 25: Estimate;
  readonly 50: Estimate;
  readonly 75: Estimate;
  readonly 100: Estimate;
}

/** The summary of one pane over all runs. Estimates cover only the complete runs. */
export interface PaneSummary {
  readonly pipeline: string;
  readonly runs: number;
  readonly complete: number;
  /** The incomplete runs, grouped by outcome and reason. */
  readonly leftOut: readonly {
    readonly outcome: Outcome;
    readonly reason: string;
    readonly seeds: readonly number[];
  }[];
  /** The largest {@link PaneMetrics.missing} of all runs. */
  readonly missing: number;
  readonly setupMs: Estimate;
  readonly pageTimeMs: Estimate;
  readonly pPageMs: PercentEstimates;
  readonly pRenMs: PercentEstimates;
  readonly fcpMs: Estimate;
  readonly lcpMs: Estimate;
  readonly dclMs: Estimate;
  readonly loadMs: Estimate;
  readonly finishMs: Estimate;
  readonly silentMs: Estimate;
  readonly lost: {readonly down: Estimate; readonly up: Estimate};
  readonly marked?: {readonly down: Estimate; readonly up: Estimate};
  readonly retransmitted: Estimate;
  readonly holBlockedMs: Estimate;
  readonly longestWaitMs: Estimate;
  /** Comparison of page times T with the first pane, seed by seed. Null for the first pane. */
  readonly againstFirst: PaneComparison | null;
  /** The same comparison of `finishMs`. */
  readonly finishAgainstFirst: PaneComparison | null;
}

export interface PaneComparison {
  /** Number of runs that are complete in both panes. Only these are compared. */
  readonly runs: number;
  /** Mean time of the first pane divided by that of this pane. */
  readonly ratio: number | null;
  /** This pane minus the first pane. */
  readonly differenceMs: Estimate;
  /** Mann-Whitney test of the times. */
  readonly rankTest: {readonly p: number | null};
}

/**
 * Loads a page with every seed and summarises the metrics. Work that takes long enough uses several threads.
 *
 * @param options `seeds` are like `'1-50'` or `[1, 2, 7]`. The default is the scenario's own seed. `page` is loaded
 * instead of the scenario's page. `threads` is the largest number of threads. The default is the number of cores.
 * `onProgress` is called after each run with the number of finished runs.
 * @throws InputError, PageError
 */
export function run(
  scenario: ScenarioChoice,
  options?: {
    readonly seeds?: string | readonly number[];
    readonly page?: Page;
    readonly threads?: number;
    readonly onProgress?: (done: number) => void;
  },
): Promise<RunResult>;

/** The x axis of a figure: a setting of the scenario and its value in each result. */
export interface FigureAxis {
  /** The setting, as `--set` names it: `path.loss`, `path.rttMs`, `panes.1.streams`. */
  readonly key: string;
  /** One value for each result, all different. */
  readonly values: readonly Json[];
}

/**
 * Draws results as a figure, with a series for each pane.
 *
 * @param results one result of {@link run}, or several with the same seeds that differ only in the setting `x.key`
 * @param options `metric` is the name of a metric, as in the columns of `interleave run --csv`. The default is
 * `finishMs`, or `pageTimeMs` if {@link RunResult.clock} is `first-request`. `kind`: `lines` draws means with their
 * 95 % intervals against numbers, `boxes` draws quartiles, `ecdf` draws distributions. By default, `kind` is `lines` if
 * the values of `x` are several numbers, and `boxes` otherwise. `style` is `print` (the default) or `screen`.
 * @returns an SVG document
 * @throws InputError
 */
export function figure(
  results: RunResult | readonly RunResult[],
  options?: {
    readonly x?: FigureAxis;
    readonly metric?: string;
    readonly kind?: 'lines' | 'boxes' | 'ecdf';
    readonly style?: 'print' | 'screen';
  },
): Promise<string>;
