import {
  fail,
  failMissing,
  file,
  INVALID,
  integer,
  type JsonSchema,
  list,
  number,
  object,
  oneOf,
  optional,
  orNull,
  type Problem,
  required,
  schemaOf,
} from '../../base/schema.ts';
import {type Pane, pipelineOf} from '../../pipelines/index.ts';
import {type PageSource, pageSource} from './pageSource.ts';
import {DEFAULT_PANES, paneSettings} from './pane.ts';
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

/** Everything that a run depends on. The same scenario and seed give the same trace. */
export interface Scenario {
  readonly page: PageSource;
  readonly path: PathSettings;
  /** One to six ways to load the page. Each has its own copy of the path, with the same fates. */
  readonly panes: readonly Pane[];
  /** From 0 to 2^53 − 1. */
  readonly seed: number;
  /**
   * The number of seeds among which `findTypical` found this one. Null if it is not known. It does not affect the run.
   */
  readonly typicalOf: number | null;
  /** `complete` waits for the whole HTML before the first GET of an object, as in the papers. `streaming` does not. */
  readonly discovery: Discovery;
  /** Time that the server thinks about each request. */
  readonly serverThinkMs: number;
  /** A load that is incomplete at this time ends with a reason. */
  readonly timeLimitMs: number;
  /** In order of time. */
  readonly changes: readonly Change[];
}

export type Discovery = 'streaming' | 'complete';

/**
 * The path changes at `atMs` after the start of the run. Packets in flight keep the delay and fate that they were
 * given.
 */
export interface Change {
  readonly atMs: number;
  readonly path: PathChange;
}

export type ParsedScenario =
  | {readonly ok: true; readonly scenario: Scenario}
  | {readonly ok: false; readonly problems: readonly Problem[]};

/** Most seeds of one run: their metrics are held in memory until the end. */
export const MOST_SEEDS = 100_000;

/** More panes than this cannot be distinguished side by side. */
export const MOST_PANES = 6;

/** Ten days in ms, far beyond what any load needs. */
const LONGEST_MS = 864e6;

const change = object('a change', {
  atMs: required(number(0, LONGEST_MS), {about: 'The time of the change, in ms after the start of the run.'}),
  path: required(pathChange, {about: 'The settings of the path that change. All others stay as they are.'}),
});

const scenarioSettings = file('a scenario', {
  page: optional(pageSource, {kind: 'named', name: 'gallery'} as const, {
    about: 'The page that every pane loads.',
    default: 'gallery',
  }),
  path: optional(pathSettings, DEFAULT_PATH, {about: 'The emulated path, or the server of a live load.'}),
  panes: optional(list(paneSettings, 1, MOST_PANES), DEFAULT_PANES, {
    about:
      'The panes, which stand side by side. Each has a pipeline (a way to load the page) and its settings. ' +
      'Without this key there are two: tcp and sctp.',
  }),
  seed: optional(integer(0, Number.MAX_SAFE_INTEGER), 1, {
    about: 'The seed of all randomness. The same scenario and seed give the same run on every machine.',
    default: 1,
  }),
  typicalOf: optional(orNull(integer(1, MOST_SEEDS)), null, {
    about:
      'The number of seeds among which interleave typical found this seed. It changes nothing in the run. ' +
      'The program removes it when another setting changes.',
    default: null,
  }),
  discovery: optional(oneOf(['streaming', 'complete']), 'streaming' as const, {
    about:
      'When the browser asks for the objects of the page: streaming asks as the HTML arrives, complete waits ' +
      'for the whole HTML (as the papers do).',
    default: 'streaming',
  }),
  serverThinkMs: optional(number(0, 60_000), 0, {
    about:
      'The time that the server takes before each answer, in ms. A server that answers in order thinks about ' +
      'one request after the other; one that writes several answers at once thinks about them at the same time.',
    default: 0,
  }),
  timeLimitMs: optional(number(1, LONGEST_MS), 3_600_000, {
    about: 'A load that takes longer, in ms, ends with the outcome time-limit.',
    default: 3_600_000,
  }),
  changes: optional(list(change, 0, 1000), [], {
    about: 'Changes of the path during the run.',
    default: [],
  }),
});

/** What editors check a scenario file by; rules between several keys are not in it. */
export function scenarioSchema(): JsonSchema {
  return schemaOf(scenarioSettings);
}

/** Checks a scenario document (parsed JSON) and fills in the defaults. Reports every problem, never throws. */
export function parseScenario(json: unknown): ParsedScenario {
  const problems: Problem[] = [];
  const scenario = scenarioSettings(json, '', problems);
  if (scenario === INVALID || !hasRoom(scenario, problems) || !canBeLive(scenario, problems))
    return {ok: false, problems};
  const changes = completeChanges(scenario.changes, scenario.path, problems);
  return changes === INVALID ? {ok: false, problems} : {ok: true, scenario: {...scenario, changes}};
}

/** Like {@link parseScenario}, for a run that is to be computed. A live path is a problem. */
export function parseComputed(json: unknown): ParsedScenario {
  const parsed = parseScenario(json);
  const live = parsed.ok ? parsed.scenario.path.live : undefined;
  if (live === undefined) return parsed;
  const problems: Problem[] = [];
  fail(
    problems,
    'path.live',
    live,
    'absent where loads are computed: the window, interleave run, trace and experiment load live',
  );
  return {ok: false, problems};
}

/** Whether every pane's transport supports packets of this size. */
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
 * Checks that live servers support the panes. They have HTTP/1.1 over TCP or SCTP, in order on each stream, and HTTP/3.
 */
function canBeLive(
  {panes, path, changes}: Pick<Scenario, 'panes' | 'path'> & {readonly changes: readonly unknown[]},
  problems: Problem[],
): boolean {
  if (path.live === undefined) {
    const own = panes.findIndex(pane => pane.path !== undefined);
    if (own >= 0)
      fail(problems, `panes[${own}].path`, panes[own]?.path, 'absent unless the path of the scenario is live');
    return own < 0;
  }
  if (changes.length > 0) fail(problems, 'changes', changes.length, 'none on a live path');
  for (const [number, pane] of panes.entries()) {
    const key = notLive(pane);
    if (key !== undefined) {
      const settings = new Map<string, unknown>(Object.entries(pane));
      fail(problems, `panes[${number}].${key}`, settings.get(key), NOT_LIVE);
    } else if (lacksFingerprint(pane, path)) {
      const at = pane.path === undefined ? 'path' : `panes[${number}].path`;
      failMissing(problems, `${at}.fingerprint`, FINGERPRINT);
    }
  }
  return problems.length === 0;
}

/** The setting of a pane that live servers do not support. */
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
  'tcp without tls, sctp with a sequential server, or h3 without 0-RTT and with first-come or round-robin, on a live path';
const FINGERPRINT =
  "the SHA-256 of the server's certificate, for h3: interleave serve prints it, anew each time that it starts";

/** Completes the changes in order of time, each on the path in force before it. */
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

/** Each change with its index in the document. */
function inOrder<C extends {readonly atMs: number}>(changes: readonly C[]): readonly (readonly [number, C])[] {
  return [...changes.entries()].sort(([, a], [, b]) => a.atMs - b.atMs);
}

/** The same scenario with another seed. It is no longer typical, unless the seed is the same. */
export function withSeed(scenario: Scenario, seed: number): Scenario {
  return seed === scenario.seed ? scenario : {...scenario, seed, typicalOf: null};
}

/** The path's settings at t, in ns since the start of the run. */
export function pathAt({path, changes}: Scenario, tNs: number): PathSettings {
  return changes.filter(({atMs}) => atMs * 1e6 <= tNs).reduce((now, change) => changePath(now, change.path), path);
}
