import {availableParallelism} from 'node:os';
import {type ParseArgsConfig, parseArgs} from 'node:util';
import {messageOf, nearest, showName} from '../../app/base/text.ts';
import type {Vantage} from '../../app/export/qlog.ts';
import type {Thresholds} from '../../app/run/quality/states.ts';
import {isAddress} from '../../app/run/scenario/pageSource.ts';
import {MOST_PANES} from '../../app/run/scenario/scenario.ts';
import {readSeeds} from '../../app/run/scenario/seeds.ts';
import type {Aim} from '../../app/study/advice/aims.ts';
import {MOST_SHARDS, readShard, type Shard, WHOLE} from '../../app/study/experiment/shard.ts';
import type {Look, MovieOptions} from '../../app/telling/movie/options.ts';
import type {Trust} from '../pages/base/trust.ts';
import type {RemoteGateway} from '../pages/gateway/remoteGateway.ts';
import {aimsOf} from './adviseOptions.ts';
import {apartListen, type GatewayCommand, listenAt, remoteOf, tokenOf} from './gatewayOptions.ts';
import {repeatsOf} from './liveOptions.ts';
import {
  FILMSTRIP_OPTIONS,
  LOOK_OPTIONS,
  lookOf,
  MOVIE_OPTIONS,
  movieOf,
  PAPER_OPTIONS,
  scaleOf,
  timesOf,
} from './movieOptions.ts';
import {PATH_OPTIONS, type PathCommand, pathOf} from './pathOptions.ts';
import {papersOf, type ReproduceCommand} from './reproduce.ts';
import {USUAL_SEEDS as PAPERS_SEEDS} from './reproduceHelp.ts';
import {type ServeCommand, serveOf} from './serveOptions.ts';
import {type ShimCommand, shimOf} from './shimOptions.ts';
import {TRACE_OPTION, tracesOf} from './traceOptions.ts';
import {TRUST_OPTIONS, trustOf} from './trustOptions.ts';
import {UsageError} from './usageError.ts';
import {VISUAL_OPTIONS, visualOf} from './visualOptions.ts';

/** What the command line asks for. */
export type Command =
  | {readonly name: 'help'; readonly topic: string | undefined}
  | {readonly name: 'version'}
  | ({
      readonly name: 'run';
      readonly seeds: readonly number[] | undefined;
      /** How often a live page is loaded; undefined: once. */
      readonly repeats: number | undefined;
      readonly format: Format;
      /** What the eye gets is wanted too, counted from these. */
      readonly visual: Thresholds | undefined;
      /** Bound to live servers, in place of the environment's. */
      readonly tokens: readonly string[];
    } & TraceChoice)
  | ({
      readonly name: 'typical';
      readonly seeds: readonly number[];
      readonly format: 'json' | 'table';
      /** Speed Index counts too; the thresholds do not matter to it. */
      readonly visual: Thresholds | undefined;
    } & ScenarioChoice)
  | AdviseCommand
  /** `tokens` as of run. */
  | ({readonly name: 'trace'; readonly out: string; readonly tokens: readonly string[]} & ScenarioChoice)
  | ({readonly name: 'pcap'} & PaneChoice)
  | ({readonly name: 'qlog'; readonly vantage: Vantage} & PaneChoice)
  | ({readonly name: 'har'; readonly hasContent: boolean} & PaneChoice)
  | ({
      readonly name: 'record';
      readonly out: string;
      readonly movie: MovieOptions;
      readonly format: 'json' | 'table';
    } & TraceChoice)
  | {
      readonly name: 'record-story';
      /** A file, or one that comes with the program. */
      readonly story: string;
      /** As in {@link ScenarioChoice}, of every step's page. */
      readonly isPrivateAllowed: boolean;
      /** Which servers of https its page is fetched from; undefined: the system's authorities decide. */
      readonly trust?: Trust | undefined;
      readonly out: string;
      readonly movie: MovieOptions;
      readonly format: 'json' | 'table';
    }
  | ({readonly name: 'still'; readonly timeNs: number} & StillChoice & TraceChoice)
  | ({readonly name: 'filmstrip'; readonly timesNs: readonly number[]} & StillChoice & TraceChoice)
  | ExperimentCommand
  | ReproduceCommand
  | FetchCommand
  | GatewayCommand
  | ServeCommand
  | PathCommand
  | ShimCommand
  | {
      readonly name: 'merge';
      /** The parts' folders. */
      readonly parts: readonly string[];
      readonly out: string;
      readonly format: 'json' | 'table';
    }
  | {readonly name: 'presets' | 'pages'; readonly format: 'json' | 'table'};

export interface ExperimentCommand {
  readonly name: 'experiment';
  /** The grid's file. */
  readonly grid: string;
  /** Its folder; undefined where it is only asked how long it takes. */
  readonly out: string | undefined;
  /** Threads. */
  readonly jobs: number;
  readonly isResumed: boolean;
  /** As in {@link ScenarioChoice}, of every page. */
  readonly isPrivateAllowed: boolean;
  /** Which servers of https its page is fetched from; undefined: the system's authorities decide. */
  readonly trust?: Trust | undefined;
  readonly shard: Shard;
  readonly visual: Thresholds | undefined;
  readonly format: 'json' | 'table';
}

export interface AdviseCommand extends ScenarioChoice {
  readonly name: 'advise';
  readonly seeds: readonly number[];
  /** Threads. */
  readonly jobs: number;
  /** What there is to be advice for. */
  readonly aims: readonly Aim[];
  /** What the eye gets is wanted too. */
  readonly visual: Thresholds | undefined;
  readonly format: 'json' | 'table';
}

export interface FetchCommand {
  readonly name: 'fetch';
  readonly address: string;
  /** The folder. */
  readonly out: string;
  readonly isProgressive: boolean;
  readonly isPrivateAllowed: boolean;
  /** Which servers of https its page is fetched from; undefined: the system's authorities decide. */
  readonly trust?: Trust | undefined;
  /** Of another machine, which fetches it; undefined: this one. */
  readonly gateway: RemoteGateway | undefined;
  readonly format: 'json' | 'table';
}

export interface ScenarioChoice {
  /** A file, a link or a preset's name; undefined: every setting at its default. */
  readonly scenario: string | undefined;
  /** In place of its page: a name, a path, an address or a hash. */
  readonly page: string | undefined;
  /** Its address may be one that is not public. */
  readonly isPrivateAllowed: boolean;
  /** Which servers of https its page is fetched from; undefined: the system's authorities decide. */
  readonly trust?: Trust | undefined;
  /** `KEY=VALUE`. */
  readonly overrides: readonly string[];
}

interface TraceChoice extends ScenarioChoice {
  /** Files, whose runs stand in the scenario's place; empty: the scenario's. */
  readonly traces: readonly string[];
}

/** A pane's load, and where to. */
interface PaneChoice extends ScenarioChoice {
  readonly out: string;
  /** From 0. */
  readonly pane: number;
}

/** A picture, and where to. */
interface StillChoice {
  readonly out: string;
  readonly look: Look;
  /** px of the picture per CSS px. */
  readonly scale: number;
}

export type Format = 'json' | 'csv' | 'table';

/** Reads the arguments after the program's name. @throws UsageError */
export function parseCommand(args: readonly string[]): Command {
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    return {name: 'help', topic: name === 'help' ? rest[0] : undefined};
  }
  if (name === '--version' || name === '-V' || name === 'version') return {name: 'version'};
  if (!isCommandName(name)) {
    const near = nearest(name, COMMAND_NAMES);
    const hint = near === undefined ? 'interleave --help shows all' : `did you mean ${near}?`;
    throw new UsageError(`there is no command ${name}; ${hint}`);
  }
  if (rest.includes('--help') || rest.includes('-h')) return {name: 'help', topic: name};
  return PARSERS[name](rest);
}

const SCENARIO_OPTIONS = {
  scenario: {type: 'string', short: 's'},
  page: {type: 'string'},
  'allow-private': {type: 'boolean'},
  ...TRUST_OPTIONS,
  set: {type: 'string', multiple: true},
} as const;
const JSON_OPTION = {json: {type: 'boolean'}} as const;

const PANE_OPTIONS = {
  ...SCENARIO_OPTIONS,
  out: {type: 'string', short: 'o'},
  pane: {type: 'string'},
} as const;

const STILL_OPTIONS = {
  ...SCENARIO_OPTIONS,
  ...TRACE_OPTION,
  ...PAPER_OPTIONS,
  at: {type: 'string'},
  scale: {type: 'string'},
  out: {type: 'string', short: 'o'},
} as const;

const PARSERS = {
  run: (args: readonly string[]): Command => {
    const values = readOptions(args, {
      ...SCENARIO_OPTIONS,
      ...TRACE_OPTION,
      ...JSON_OPTION,
      ...VISUAL_OPTIONS,
      csv: {type: 'boolean'},
      seeds: {type: 'string'},
      repeat: {type: 'string'},
      token: {type: 'string', multiple: true},
    });
    if (values.json && values.csv) throw new UsageError('--json and --csv exclude each other');
    return {
      name: 'run',
      ...scenarioChoice(values),
      traces: tracesOf(values),
      seeds: values.seeds === undefined ? undefined : parseSeeds(values.seeds),
      repeats: repeatsOf(values),
      format: values.json ? 'json' : values.csv ? 'csv' : 'table',
      visual: visualOf(values),
      tokens: values.token ?? [],
    };
  },
  typical: (args: readonly string[]): Command => {
    const values = readOptions(args, {
      ...SCENARIO_OPTIONS,
      ...JSON_OPTION,
      visual: VISUAL_OPTIONS.visual,
      seeds: {type: 'string'},
    });
    return {
      name: 'typical',
      ...scenarioChoice(values),
      seeds: parseSeeds(values.seeds ?? USUAL_SEEDS),
      format: values.json ? 'json' : 'table',
      visual: visualOf(values),
    };
  },
  advise: (args: readonly string[]): Command => {
    const {values, positionals} = readArguments(args, {
      ...SCENARIO_OPTIONS,
      ...JSON_OPTION,
      ...VISUAL_OPTIONS,
      aim: {type: 'string'},
      seeds: {type: 'string'},
      jobs: {type: 'string'},
    });
    const aims = aimsOf(values.aim);
    // who asks for what the eye gets wants it measured
    const visual = values.visual || (values.aim !== undefined && aims.some(({isSeen}) => isSeen));
    const [scenario = values.scenario, other = values.scenario] = positionals;
    if (positionals.length > 0 && other !== undefined)
      throw new UsageError(`advice is for one scenario: ${scenario} and ${other} are two`);
    return {
      name: 'advise',
      ...scenarioChoice({...values, scenario}),
      seeds: parseSeeds(values.seeds ?? ADVISE_SEEDS),
      jobs: jobsOf(values.jobs),
      aims,
      visual: visualOf({...values, visual}),
      format: values.json ? 'json' : 'table',
    };
  },
  trace: (args: readonly string[]): Command => {
    const values = readOptions(args, {
      ...SCENARIO_OPTIONS,
      out: {type: 'string', short: 'o'},
      token: {type: 'string', multiple: true},
    });
    return {name: 'trace', ...scenarioChoice(values), out: outOf(values), tokens: values.token ?? []};
  },
  pcap: (args: readonly string[]): Command => ({
    name: 'pcap',
    ...paneChoice(readOptions(args, PANE_OPTIONS)),
  }),
  qlog: (args: readonly string[]): Command => {
    const values = readOptions(args, {...PANE_OPTIONS, vantage: {type: 'string'}});
    const vantage = VANTAGES.find(each => each === (values.vantage ?? 'server'));
    if (vantage === undefined) {
      throw new UsageError(`--vantage is ${values.vantage}: must be ${VANTAGES.join(' or ')}`);
    }
    return {name: 'qlog', ...paneChoice(values), vantage};
  },
  har: (args: readonly string[]): Command => {
    const values = readOptions(args, {...PANE_OPTIONS, content: {type: 'boolean'}});
    return {name: 'har', ...paneChoice(values), hasContent: values.content ?? false};
  },
  record: (args: readonly string[]): Command => {
    const values = readOptions(args, {
      ...SCENARIO_OPTIONS,
      ...TRACE_OPTION,
      ...MOVIE_OPTIONS,
      ...JSON_OPTION,
      story: {type: 'string'},
      out: {type: 'string', short: 'o'},
    });
    const out = fileOf(values);
    const format = values.json ? 'json' : 'table';
    const traces = tracesOf(values);
    if (values.story !== undefined) {
      const own = STEPS_OWN.find(option => values[option] !== undefined);
      if (own !== undefined) throw new UsageError(`--story and --${own}: each step of a story has its own`);
      const isPrivateAllowed = values['allow-private'] ?? false;
      return {
        name: 'record-story',
        story: values.story,
        isPrivateAllowed,
        trust: trustOf(values),
        out,
        movie: movieOf(values, out),
        format,
      };
    }
    return {name: 'record', ...scenarioChoice(values), traces, out, movie: movieOf(values, out), format};
  },
  still: (args: readonly string[]): Command => {
    const values = readOptions(args, {...STILL_OPTIONS, ...LOOK_OPTIONS});
    const [timeNs = 0, ...others] = timesOf(values.at);
    if (others.length > 0) throw new UsageError('--at is a list: a still shows one time, a filmstrip several');
    const choice = stillChoice(values, ['.png', '.svg']);
    if (values.scale !== undefined && choice.out.toLowerCase().endsWith('.svg')) {
      throw new UsageError(`--scale is ${values.scale}: an SVG has none`);
    }
    return {name: 'still', ...scenarioChoice(values), traces: tracesOf(values), timeNs, ...choice};
  },
  filmstrip: (args: readonly string[]): Command => {
    const values = readOptions(args, {...STILL_OPTIONS, ...FILMSTRIP_OPTIONS});
    const timesNs = timesOf(values.at);
    const choice = {...scenarioChoice(values), traces: tracesOf(values)};
    return {name: 'filmstrip', ...choice, timesNs, ...stillChoice(values, ['.png'])};
  },
  experiment: (args: readonly string[]): Command => {
    const {values, positionals} = readArguments(args, {
      ...JSON_OPTION,
      ...VISUAL_OPTIONS,
      out: {type: 'string', short: 'o'},
      jobs: {type: 'string'},
      resume: {type: 'boolean'},
      'dry-run': {type: 'boolean'},
      shard: {type: 'string'},
      'allow-private': {type: 'boolean'},
      ...TRUST_OPTIONS,
    });
    const [grid, other] = positionals;
    if (grid === undefined) throw new UsageError('the grid file is missing: interleave experiment FILE --out DIR');
    if (other !== undefined) throw new UsageError(`an experiment has one grid file: ${grid} and ${other} are two`);
    const shard = values.shard === undefined ? WHOLE : readShard(values.shard);
    if (shard === undefined) {
      throw new UsageError(`--shard is ${values.shard}: must be like 2/8, from 1/8 to 8/8, of at most ${MOST_SHARDS}`);
    }
    return {
      name: 'experiment',
      grid,
      shard,
      jobs: jobsOf(values.jobs),
      visual: visualOf(values),
      out: values['dry-run'] ? undefined : folderOf(values),
      isResumed: values.resume ?? false,
      isPrivateAllowed: values['allow-private'] ?? false,
      trust: trustOf(values),
      format: values.json ? 'json' : 'table',
    };
  },
  reproduce: (args: readonly string[]): Command => {
    const {values, positionals} = readArguments(args, {
      ...JSON_OPTION,
      out: {type: 'string', short: 'o'},
      seeds: {type: 'string'},
      jobs: {type: 'string'},
      resume: {type: 'boolean'},
    });
    return {
      name: 'reproduce',
      papers: papersOf(positionals),
      out: folderOf(values),
      jobs: jobsOf(values.jobs),
      seeds: parseSeeds(values.seeds ?? PAPERS_SEEDS),
      isResumed: values.resume ?? false,
      format: values.json ? 'json' : 'table',
    };
  },
  merge: (args: readonly string[]): Command => {
    const {values, positionals: parts} = readArguments(args, {
      ...JSON_OPTION,
      out: {type: 'string', short: 'o'},
    });
    if (parts.length === 0) throw new UsageError('there is nothing to merge: interleave merge DIR … --out DIR');
    return {name: 'merge', parts, out: folderOf(values), format: values.json ? 'json' : 'table'};
  },
  fetch: (args: readonly string[]): Command => {
    const {values, positionals} = readArguments(args, {
      ...JSON_OPTION,
      out: {type: 'string', short: 'o'},
      progressive: {type: 'boolean'},
      'allow-private': {type: 'boolean'},
      ...TRUST_OPTIONS,
      gateway: {type: 'string'},
      token: {type: 'string'},
    });
    const [address, other] = positionals;
    if (address === undefined) throw new UsageError('the address is missing: interleave fetch URL --out FOLDER');
    if (!isAddress(address)) throw new UsageError(`${showName(address)}: must be an http, https or sctp address`);
    if (other !== undefined) throw new UsageError(`a page has one address: ${address} and ${other} are two`);
    return {
      name: 'fetch',
      address,
      out: folderOf(values, 'FOLDER'),
      isProgressive: values.progressive ?? false,
      isPrivateAllowed: values['allow-private'] ?? false,
      trust: trustOf(values),
      gateway: remoteOf(values),
      format: values.json ? 'json' : 'table',
    };
  },
  gateway: (args: readonly string[]): Command => {
    const {values, positionals} = readArguments(apartListen(args), {
      ...JSON_OPTION,
      listen: {type: 'boolean'},
      token: {type: 'string'},
      'allow-private': {type: 'boolean'},
      ...TRUST_OPTIONS,
    });
    const [at, other] = positionals;
    if (!values.listen) throw new UsageError('a gateway listens: interleave gateway --listen [ADDRESS:PORT] --token T');
    if (other !== undefined) throw new UsageError(`a gateway listens once: ${at} and ${other} are two`);
    return {
      name: 'gateway',
      ...listenAt(at),
      token: tokenOf(values),
      isPrivateAllowed: values['allow-private'] ?? false,
      trust: trustOf(values),
      format: values.json ? 'json' : 'table',
    };
  },
  serve: (args: readonly string[]): Command =>
    serveOf(
      readOptions(args, {
        ...JSON_OPTION,
        page: {type: 'string'},
        'allow-private': {type: 'boolean'},
        ...TRUST_OPTIONS,
        listen: {type: 'string'},
        token: {type: 'string'},
      }),
    ),
  path: (args: readonly string[]): Command => pathOf(readOptions(args, PATH_OPTIONS)),
  shim: (args: readonly string[]): Command =>
    shimOf(
      readOptions(args, {
        ...JSON_OPTION,
        gateway: {type: 'boolean'},
        listen: {type: 'string'},
        to: {type: 'string'},
        origin: {type: 'string'},
        token: {type: 'string'},
        'allow-private': {type: 'boolean'},
      }),
    ),
  presets: (args: readonly string[]): Command => ({name: 'presets', format: listFormat(args)}),
  pages: (args: readonly string[]): Command => ({name: 'pages', format: listFormat(args)}),
} as const;

const VANTAGES: readonly Vantage[] = ['client', 'server'];

/** What a story says for each of its steps. */
const STEPS_OWN = [
  'scenario',
  'page',
  'set',
  'title',
  'timeline',
  'axis',
  'reveal',
  'loss',
  'speed',
  'from',
  'to',
] as const;

type CommandName = keyof typeof PARSERS;
const COMMAND_NAMES = Object.keys(PARSERS);

function isCommandName(name: string): name is CommandName {
  return Object.hasOwn(PARSERS, name);
}

type Options = NonNullable<ParseArgsConfig['options']>;

function readOptions<O extends Options>(args: readonly string[], options: O) {
  return asUsage(options, () => parseArgs({args: joinNegative(args), options, allowPositionals: false})).values;
}

/** With what is no option. */
function readArguments<O extends Options>(args: readonly string[], options: O) {
  return asUsage(options, () => parseArgs({args: [...args], options, allowPositionals: true}));
}

/** What `parse` gives. @throws UsageError for what it throws */
function asUsage<T>(options: Options, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    const message = messageOf(error);
    const typed = /Unknown option '--?([^']+)'/.exec(message)?.[1];
    const near = typed === undefined ? undefined : nearest(typed, Object.keys(options));
    const hint = near === undefined ? '' : `; did you mean --${near}?`;
    throw new UsageError((message.split(/\. |\n/)[0] ?? message) + hint);
  }
}

/** `--from -3s` as `--from=-3s`: parseArgs takes the time for an option. */
function joinNegative(args: readonly string[]): string[] {
  const joined: string[] = [];
  for (const arg of args) {
    const before = joined.at(-1);
    if (/^-[\d.]/.test(arg) && before?.startsWith('--')) joined.splice(-1, 1, `${before}=${arg}`);
    else joined.push(arg);
  }
  return joined;
}

function scenarioChoice(values: {
  scenario?: string | undefined;
  page?: string | undefined;
  'allow-private'?: boolean | undefined;
  ca?: string | undefined;
  insecure?: boolean | undefined;
  set?: string[] | undefined;
}): ScenarioChoice {
  const {scenario, page, set: overrides = []} = values;
  return {
    scenario,
    page,
    isPrivateAllowed: values['allow-private'] ?? false,
    trust: trustOf(values),
    overrides,
  };
}

function paneChoice(
  values: {out?: string | undefined; pane?: string | undefined} & Parameters<typeof scenarioChoice>[0],
): PaneChoice {
  const pane = values.pane ?? '1';
  if (!/^[1-9]$/.test(pane) || Number(pane) > MOST_PANES)
    throw new UsageError(`--pane is ${pane}: must be 1 to ${MOST_PANES}`);
  return {...scenarioChoice(values), out: outOf(values), pane: Number(pane) - 1};
}

function outOf(values: {out?: string | undefined}): string {
  if (!values.out) throw new UsageError('--out FILE is missing (- writes to standard output)');
  return values.out;
}

/** As {@link outOf}, but a file that is written in several places. */
function fileOf(values: {out?: string | undefined}): string {
  const out = outOf(values);
  if (out === '-') throw new UsageError('--out is -: must be a file');
  return out;
}

function folderOf(values: {out?: string | undefined}, word = 'DIR'): string {
  if (!values.out) throw new UsageError(`--out ${word} is missing`);
  return values.out;
}

/** As many as there are cores, unless it is said. */
function jobsOf(text: string | undefined): number {
  if (text === undefined) return availableParallelism();
  const jobs = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (jobs < 1 || jobs > MOST_JOBS) throw new UsageError(`--jobs is ${text}: must be 1 to ${MOST_JOBS}`);
  return jobs;
}

const MOST_JOBS = 256;

type StillValues = {out?: string | undefined; scale?: string | undefined} & Parameters<typeof lookOf>[0];

function stillChoice(values: StillValues, endings: readonly string[]): StillChoice {
  const out = fileOf(values);
  const isKnown = endings.some(ending => out.toLowerCase().endsWith(ending));
  if (!isKnown) throw new UsageError(`--out ${out}: must end in ${endings.join(' or ')}`);
  return {out, look: lookOf(values), scale: scaleOf(values.scale)};
}

function listFormat(args: readonly string[]): 'json' | 'table' {
  return readOptions(args, JSON_OPTION).json ? 'json' : 'table';
}

/** A difference that matters shows in as many. */
const ADVISE_SEEDS = '1-50';

/** Of which a typical one is looked for. */
const USUAL_SEEDS = '1-200';

/** @throws UsageError */
function parseSeeds(text: string): readonly number[] {
  const read = readSeeds(text);
  if (!read.ok) throw new UsageError(`--seeds is ${text}: ${read.limit}`);
  return read.seeds;
}
