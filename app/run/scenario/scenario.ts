import {
  check,
  fail,
  failMissing,
  file,
  INVALID,
  integer,
  isObject,
  type JsonSchema,
  list,
  number,
  object,
  oneOf,
  optional,
  orNull,
  type Problem,
  problemText,
  required,
  schemaOf,
} from '../../base/schema.ts';
import type {Browser} from '../../browsers/browser.ts';
import {type BrowserName, browserOf} from '../../browsers/list.ts';
import {CERTIFICATES, type Certificate} from '../../page/origins.ts';
import {findPipeline, type Pane, pipelineOf} from '../../pipelines/index.ts';
import {type ServerName, serverOf} from '../../servers/list.ts';
import type {Server} from '../../servers/server.ts';
import {isComputedPath} from './capturedPath.ts';
import {type Cpu, cpuSetting} from './cpu.ts';
import {handoverProblem} from './handover.ts';
import {type PageSource, pageSource} from './pageSource.ts';
import {browserName, DEFAULT_PANES, paneSettings, serverName} from './pane.ts';
import {
  changePath,
  completeChange,
  DEFAULT_PATH,
  type PathChange,
  type PathChangeDocument,
  type PathSettings,
  pathChange,
  pathSettings,
} from './path.ts';
import {trafficFits} from './traffic.ts';

/**
 * Everything that a run depends on, except for the content of the page. For the same page, equal scenarios give equal
 * traces, unless the path is live or captured. Then the trace also depends on the real network and server.
 */
export interface Scenario {
  readonly page: PageSource;
  readonly path: PathSettings;
  /**
   * One to six panes: the ways in which the page is loaded. Each pane has its own copy of the path, unless all panes
   * share one path (`PathSettings.atOnce`). The loss model loses the same packets on every copy: packet k of a
   * direction is lost on all copies or on none (see `Loss.applies`). Full queues can drop different packets on each
   * copy, and so can `Pane.drop`.
   */
  readonly panes: readonly Pane[];
  /** The seed of all randomness, from 0 to 2^53 − 1. */
  readonly seed: number;
  /**
   * The number of seeds that `findTypical` compared to choose this seed. Null if the seed was not chosen in this way.
   * It does not affect the run.
   */
  readonly typicalOf: number | null;
  /**
   * `complete`: the client requests objects only after the whole HTML has arrived, as in the papers. `streaming`: the
   * client can request each object as soon as its tag has arrived.
   */
  readonly discovery: Discovery;
  /** The browser, which decides what is requested when, and with which priority. A pane may have another one. */
  readonly browser: BrowserName;
  /** How long scripts, style and layout take on a recorded page. */
  readonly cpu: Cpu;
  /** The time that a client needs to look up a host name for the first time. */
  readonly dnsMs: number;
  /**
   * Which hosts of the page share a server and its certificate. `host`: none. `site`: hosts with the same last two
   * labels. `page`: all hosts. Over HTTP/2 and HTTP/3, hosts on the same server also share a connection.
   */
  readonly certificate: Certificate;
  /** The web server, which decides in which order and pieces responses are written. A pane may have another one. */
  readonly server: ServerName;
  /** Whether the browser has visited the server before. A pane may have another visit. */
  readonly visit: Visit;
  /** Time that the server needs before it answers a request. */
  readonly serverThinkMs: number;
  /**
   * `concurrent`: the server thinks about all requests of a connection at the same time. `in-turn`: it thinks about one
   * request after the other.
   */
  readonly serverThinking: ServerThinking;
  /** A load that is still incomplete at this time ends with the outcome `time-limit`. */
  readonly timeLimitMs: number;
  /** Changes of the path, in order of time. */
  readonly changes: readonly Change[];
}

export type Discovery = 'streaming' | 'complete';

export type Visit = 'first' | 'again';

export type ServerThinking = 'concurrent' | 'in-turn';

/**
 * A change of the path at `atMs` after the start of the run. Packets in flight keep the delay and fate that they
 * already have, unless the change is a hand-over: see `HANDOVER_ABOUT`.
 */
export interface Change {
  readonly atMs: number;
  readonly path: PathChange;
}

export type ParsedScenario =
  | {readonly ok: true; readonly scenario: Scenario}
  | {readonly ok: false; readonly problems: readonly Problem[]};

/**
 * The largest number of seeds that are computed together. The metrics of all seeds are held in memory until the last
 * one ends.
 */
export const MOST_SEEDS = 100_000;

/** The largest number of panes. Nobody can compare more of them side by side. */
export const MOST_PANES = 6;

/** Ten days in ms, far beyond what any load needs. */
const LONGEST_MS = 864e6;

const change = object('a change', {
  atMs: required(number(0, LONGEST_MS), {about: 'The time of the change, in ms after the start of the run.'}),
  path: required(pathChange, {about: 'The settings of the path that change. All others stay as they are.'}),
});

const visit = oneOf(['first', 'again'] as const);

const scenarioSettings = file('a scenario', {
  page: optional(pageSource, {kind: 'named', name: 'gallery'} as const, {
    about: 'The page that every pane loads.',
    default: 'gallery',
  }),
  path: optional(pathSettings, DEFAULT_PATH, {
    about: 'The emulated path, the server of a live load, or the kind of recording of a captured load.',
  }),
  panes: optional(list(paneSettings, 1, MOST_PANES), DEFAULT_PANES, {
    about:
      'The panes, shown side by side. Each pane has a pipeline (a way to load the page) and the settings of that ' +
      'pipeline. Without this key there are two panes: tcp and sctp.',
  }),
  seed: optional(integer(0, Number.MAX_SAFE_INTEGER), 1, {
    about:
      'The seed of all randomness. Unless the path is live, the same scenario and seed give the same run on every ' +
      'machine.',
    default: 1,
  }),
  typicalOf: optional(orNull(integer(1, MOST_SEEDS)), null, {
    about:
      'The number of seeds that were compared to find this seed (interleave typical). The run does not depend on ' +
      'this key. The program removes the key when another setting changes.',
    default: null,
  }),
  discovery: optional(oneOf(['streaming', 'complete']), 'streaming' as const, {
    about:
      'When the browser can request the objects of the page. With "streaming", it can request each object as soon as ' +
      'its tag has arrived. With "complete", it waits for the whole HTML, as in the papers.',
    default: 'streaming',
  }),
  browser: optional(browserName, 'plain' as const, {
    about:
      'The browser, which decides when each object is found, when it is requested, and with which priority. With ' +
      '"plain", every object is requested as soon as discovery allows, in the order of the page, and scripts hold up ' +
      'nothing, as in the papers. "safari" follows published descriptions; "chromium" and "firefox" were measured.',
    default: 'plain',
  }),
  cpu: optional(cpuSetting, 'recorded' as const, {
    about:
      'How long scripts, style and layout take on a page that a browser has recorded (interleave fetch ' +
      '--with-browser). With "recorded", they take as long as in the recording. With "none", they take no time. A ' +
      'number multiplies the times of the recording. With the browser "plain", this key has no effect.',
    default: 'recorded',
  }),
  dnsMs: optional(number(0, 60_000), 0, {
    about:
      'The time that the client needs to look up a host name, in ms. Each host of the page is looked up once, before ' +
      'the first connection to it. A plain browser knows only the host of the page.',
    default: 0,
  }),
  certificate: optional(oneOf(CERTIFICATES), 'host' as const, {
    about:
      'Which hosts of the page share a server and its certificate. With "host", each host has its own. With "site", ' +
      'hosts with the same last two labels share one. With "page", all hosts share one. Over HTTP/2 and HTTP/3, hosts ' +
      'that share a certificate also share a connection. With the browser "plain", this key has no effect.',
    default: 'host',
  }),
  server: optional(serverName, 'plain' as const, {
    about:
      'The web server, which decides in which order and in which pieces responses are sent over HTTP/2 and HTTP/3. ' +
      'With "plain", the scheduler of the pane decides. The other servers ignore that scheduler. With TLS over TCP, ' +
      'the server also decides which TLS records and session tickets it sends. This includes HTTP/1.1. With TLS and ' +
      'with QUIC, it decides the key exchange. Over HTTP/3, it also decides its first window, the size of its ' +
      'datagrams and whether it searches for larger ones. The key has no effect on SCTP, CATP, bare datagrams and ' +
      'HTTP/1.1 without TLS.',
    default: 'plain',
  }),
  visit: optional(visit, 'first' as const, {
    about:
      'Whether the browser visits the server for the first time, or again. With "again", it resumes its TLS session and ' +
      'sends its first requests with its first messages (early data, 0-RTT), in every pane with TLS that has no visit ' +
      'of its own. Nothing is in its cache. The key replaces zeroRtt of h3, which is still read.',
    default: 'first',
  }),
  serverThinkMs: optional(number(0, 60_000), 0, {
    about: 'The time that the server needs before each response, in ms.',
    default: 0,
  }),
  serverThinking: optional(oneOf(['concurrent', 'in-turn']), 'concurrent' as const, {
    about:
      'With "concurrent", the server thinks about all requests of a connection at the same time, in every pipeline. ' +
      'With "in-turn", it begins to think about a request when it has thought about the one before it.',
    default: 'concurrent',
  }),
  timeLimitMs: optional(number(1, LONGEST_MS), 3_600_000, {
    about: 'The longest duration of a load, in ms. A longer load ends with the outcome time-limit.',
    default: 3_600_000,
  }),
  changes: optional(list(change, 0, 1000), [], {
    about: 'Changes of the path during the run.',
    default: [],
  }),
});

/**
 * Returns the JSON Schema with which editors check a scenario file. It does not contain the rules between several keys.
 */
export function scenarioSchema(): JsonSchema {
  return schemaOf(scenarioSettings);
}

/**
 * Checks a scenario document (parsed JSON) and fills in the defaults. It reports the first 50 problems and never
 * throws. Rules that connect several keys are checked only if all keys are valid on their own.
 */
export function parseScenario(json: unknown): ParsedScenario {
  const problems: Problem[] = [];
  const scenario = scenarioSettings(withVisits(json), '', problems);
  if (scenario === INVALID || !isConsistent(scenario, problems)) return {ok: false, problems};
  const changes = completeChanges(scenario.changes, scenario.path, problems);
  if (changes === INVALID || !hasTracesBefore(scenario.path, changes, problems)) return {ok: false, problems};
  const problem = handoverProblem(scenario);
  if (problem === undefined) return {ok: true, scenario: {...scenario, panes: panesOn(scenario), changes}};
  fail(problems, problem.path, true, problem.limit);
  return {ok: false, problems};
}

/**
 * Returns the panes of a scenario. Panes of a captured path are marked as captured, because their settings mean
 * nothing.
 */
function panesOn({path: {captured}, panes}: Pick<Scenario, 'path' | 'panes'>): readonly Pane[] {
  return captured === undefined ? panes : panes.map(pane => ({...pane, captured}));
}

/**
 * Whether all traces have values at the time when traffic starts. Before the start of the run, only repeated traces
 * have values.
 */
function hasTracesBefore(path: PathSettings, changes: readonly Change[], problems: Problem[]): boolean {
  const early = (path.traffic ?? []).findIndex(({startMs}) => startMs < 0);
  if (early < 0) return true;
  const traces = [path, ...changes.map(change => change.path)].flatMap(({down, up}) =>
    [down, up].flatMap(way => [way?.trace, way?.delayTrace]),
  );
  if (traces.every(trace => trace?.repeats !== false)) return true;
  const key = `path.traffic[${early}].startMs`;
  fail(problems, key, path.traffic?.[early]?.startMs, 'at least 0, because a trace of the path is not repeated');
  return false;
}

/** Returns the document with the visit of each pane. Panes without a visit of their own have that of the scenario. */
function withVisits(json: unknown): unknown {
  if (!isObject(json)) return json;
  const {visit: given, panes}: {readonly [key: string]: unknown} = json;
  const ofAll = check(visit, given).ok ? given : 'first';
  if (panes === undefined) return {...json, panes: DEFAULT_PANES.map(pane => ({...pane, ...visitOf(pane, ofAll)}))};
  if (!Array.isArray(panes)) return json;
  return {...json, panes: panes.map((pane: unknown) => (isObject(pane) ? visited(pane, ofAll) : pane))};
}

function visited(pane: {readonly [key: string]: unknown}, ofAll: unknown): unknown {
  const today = findPipeline(pane['pipeline'])?.ofOlderVersion?.(pane) ?? pane;
  return {...visitOf(pane, ofAll), ...today};
}

/** Returns the key `visit` for a pane, with the value `ofAll`. Empty if the pane's pipeline has no such setting. */
function visitOf({pipeline}: {readonly pipeline?: unknown}, ofAll: unknown): {readonly visit?: unknown} {
  return findPipeline(pipeline)?.settings['visit'] === undefined ? {} : {visit: ofAll};
}

/**
 * Like {@link parseScenario}, for runs that are loaded, which means computed or live. A captured path is reported as a
 * problem.
 */
export function parseLoadable(json: unknown): ParsedScenario {
  const parsed = parseScenario(json);
  const captured = parsed.ok ? parsed.scenario.path.captured : undefined;
  if (captured === undefined) return parsed;
  const problems: Problem[] = [];
  fail(
    problems,
    'path.captured',
    captured,
    'absent here, because a run that another program recorded cannot be loaded',
  );
  return {ok: false, problems};
}

/** Like {@link parseScenario}, for runs that are computed. A live or captured path is reported as a problem. */
export function parseComputed(json: unknown): ParsedScenario {
  const parsed = parseLoadable(json);
  const live = parsed.ok ? parsed.scenario.path.live : undefined;
  if (live === undefined) return parsed;
  const problems: Problem[] = [];
  fail(
    problems,
    'path.live',
    live,
    'absent here, where loads are computed. The window accepts a live path, and so do interleave run, trace and ' +
      'experiment',
  );
  return {ok: false, problems};
}

/** Returns the browser of a pane of the scenario. */
export function paneBrowser({browser}: Pick<Scenario, 'browser'>, pane: Pane): Browser {
  return browserOf(pane.browser ?? browser);
}

/** Whether the browser of each pane supports the scenario's `discovery`. Only plain browsers support `complete`. */
function canDiscover(scenario: Pick<Scenario, 'panes' | 'browser' | 'discovery'>, problems: Problem[]): boolean {
  if (scenario.discovery === 'streaming') return true;
  for (const pane of scenario.panes) {
    const browser = paneBrowser(scenario, pane);
    if (browser.rules === undefined) continue;
    const limit = `"streaming" with ${browser.label}, because real browsers read the HTML as it arrives`;
    fail(problems, 'discovery', scenario.discovery, limit);
    return false;
  }
  return true;
}

/** Returns the server of a pane of the scenario. */
export function paneServer({server}: Pick<Scenario, 'server'>, pane: Pane): Server {
  return serverOf(pane.webServer ?? server);
}

/** Whether every pane's server supports the pane's version of HTTP. */
function areServed(scenario: Pick<Scenario, 'panes' | 'server'>, problems: Problem[]): boolean {
  for (const [i, pane] of scenario.panes.entries()) {
    const server = paneServer(scenario, pane);
    const {paneNoun, lackOfServer} = pipelineOf(pane.pipeline);
    const lack = lackOfServer?.(server);
    if (lack === undefined) continue;
    const key = pane.webServer === undefined ? 'server' : `panes[${i}].webServer`;
    fail(problems, key, server.name, `a server with ${lack} for ${paneNoun}, because ${server.label} has none`);
    return false;
  }
  return true;
}

/** Checks the rules between several keys, except for the rules that need the result of {@link completeChanges}. */
function isConsistent(
  scenario: Parameters<typeof canBeLive>[0] & Pick<Scenario, 'discovery'>,
  problems: Problem[],
): boolean {
  const {path} = scenario;
  return (
    hasRoom(scenario, problems) &&
    trafficFits(path, problems) &&
    areServed(scenario, problems) &&
    canDiscover(scenario, problems) &&
    canBeLive(scenario, problems)
  );
}

/** Whether the path's MTU is large enough for the transport of every pane. */
function hasRoom({panes, path: {mtuBytes}}: Pick<Scenario, 'panes' | 'path'>, problems: Problem[]): boolean {
  for (const pane of panes) {
    const {paneNoun, leastMtuBytes = 0} = pipelineOf(pane.pipeline);
    if (mtuBytes >= leastMtuBytes) continue;
    fail(problems, 'path.mtuBytes', mtuBytes, `at least ${leastMtuBytes} with ${paneNoun}`);
    return false;
  }
  return true;
}

/**
 * For a live path: checks that live servers support the panes, that each pane of HTTP/3 has a fingerprint, that the
 * path does not change, and that no setting is used that only computed loads have, such as a browser. Live servers
 * offer HTTP/1.1 over TCP or SCTP, with responses in order on each stream, and HTTP/3. For any other path: checks that
 * no pane has its own path.
 */
function canBeLive(
  {
    panes,
    path,
    browser,
    server,
    cpu,
    dnsMs,
    changes,
  }: Pick<Scenario, 'panes' | 'path' | 'browser' | 'server' | 'cpu' | 'dnsMs'> & {readonly changes: readonly unknown[]},
  problems: Problem[],
): boolean {
  if (path.live === undefined) {
    const own = panes.findIndex(pane => pane.path !== undefined);
    if (own >= 0)
      fail(problems, `panes[${own}].path`, panes[own]?.path, 'absent unless the path of the scenario is live');
    return own < 0;
  }
  if (changes.length > 0) fail(problems, 'changes', changes.length, 'none on a live path');
  if (server !== 'plain') fail(problems, 'server', server, NO_MODEL);
  if (browser !== 'plain') fail(problems, 'browser', browser, NO_BROWSER);
  if (cpu !== 'recorded') fail(problems, 'cpu', cpu, NO_CPU);
  if (dnsMs !== 0) fail(problems, 'dnsMs', dnsMs, NO_DNS);
  for (const [number, pane] of panes.entries()) {
    const key = notLive(pane);
    if (pane.webServer !== undefined) fail(problems, `panes[${number}].webServer`, pane.webServer, NO_MODEL);
    else if (pane.browser !== undefined) fail(problems, `panes[${number}].browser`, pane.browser, NO_BROWSER);
    else if (pane.drop !== undefined) fail(problems, `panes[${number}].drop`, pane.drop, NO_DROPS);
    else if (key !== undefined) {
      const settings = new Map<string, unknown>(Object.entries(pane));
      fail(problems, `panes[${number}].${key}`, settings.get(key), NOT_LIVE);
    } else if (lacksFingerprint(pane, path)) {
      const at = pane.path === undefined ? 'path' : `panes[${number}].path`;
      failMissing(problems, `${at}.fingerprint`, FINGERPRINT);
    }
  }
  return problems.length === 0;
}

/** Returns the key of a setting that live servers do not support. Undefined if they support the pane. */
function notLive(pane: Pane): string | undefined {
  if (pane.conversion !== undefined) return 'conversion';
  const {live} = pipelineOf(pane.pipeline);
  return live === undefined ? 'pipeline' : live.lackOf(pane);
}

/** Whether a pane needs a fingerprint to identify its server but has none. */
function lacksFingerprint(pane: Pane, path: PathSettings): boolean {
  const {live} = pipelineOf(pane.pipeline);
  return live?.hasCertificate === true && (pane.path ?? path).fingerprint === undefined;
}

const NOT_LIVE =
  'a setting that is supported on a live path: tcp without tls, sctp without tls and with a sequential server, or h3 ' +
  'on a first visit, with the first window of its profile, the default QPACK table and the scheduler first-come or ' +
  'round-robin';
const NO_MODEL = 'plain, or absent, on a live path, because the real server decides what it sends next';
const NO_BROWSER = 'plain, or absent, on a live path, because live loads request each object as soon as it is found';
const NO_CPU = '"recorded", or absent, on a live path, because live loads follow no recording';
const NO_DNS = '0, or absent, on a live path, because its hosts are looked up before the load starts';
const NO_DROPS = 'absent on a live path, because the real network decides which packets are lost';
const FINGERPRINT =
  "h3 needs the SHA-256 of the server's certificate; interleave serve prints a new one each time it starts";

/**
 * Completes the partial losses of all changes, in order of time. Each change applies to the path that results from the
 * changes before it.
 */
function completeChanges(
  documents: readonly {readonly atMs: number; readonly path: PathChangeDocument}[],
  path: PathSettings,
  problems: Problem[],
): readonly Change[] | typeof INVALID {
  const changes: Change[] = [];
  let inForce = path;
  for (const [index, {atMs, path: document}] of inOrder(documents)) {
    const change = completeChange(document, inForce.loss, `changes[${index}].path.loss`, problems);
    if (change === INVALID) return INVALID;
    inForce = changePath(inForce, change);
    changes.push({atMs, path: change});
  }
  return changes;
}

/** Sorts the changes by time and pairs each with its index in the document. */
function inOrder<C extends {readonly atMs: number}>(changes: readonly C[]): readonly (readonly [number, C])[] {
  return [...changes.entries()].sort(([, a], [, b]) => a.atMs - b.atMs);
}

/**
 * Returns a scenario that has the same pipelines and can be loaded. A captured path is replaced by the default path.
 */
export function withoutCapture(scenario: Scenario): Scenario {
  if (scenario.path.captured === undefined) return scenario;
  return {...scenario, path: DEFAULT_PATH, panes: scenario.panes.map(({captured: _, ...pane}) => pane)};
}

/** Returns the scenario with another seed. `typicalOf` becomes null unless the seed is the same. */
export function withSeed(scenario: Scenario, seed: number): Scenario {
  return seed === scenario.seed ? scenario : {...scenario, seed, typicalOf: null};
}

/** Whether all panes are computed together, because they share the path. */
export function isShared({path, panes}: Pick<Scenario, 'path' | 'panes'>): boolean {
  return path.atOnce === true && isComputedPath(path) && panes.length > 1;
}

/**
 * Says why no advice can be given for a scenario whose panes share the path: advice tries each setting on a path of its
 * own. Undefined if the panes do not share the path.
 */
export function sharedPathProblem({path}: Pick<Scenario, 'path'>): string | undefined {
  if (path.atOnce !== true) return undefined;
  return problemText('path.atOnce', true, 'false here, because each setting is tried on a path of its own');
}

/** Returns the path's settings at t, in ns since the start of the run. */
export function pathAt({path, changes}: Scenario, tNs: number): PathSettings {
  return changes.filter(({atMs}) => atMs * 1e6 <= tNs).reduce((now, change) => changePath(now, change.path), path);
}
