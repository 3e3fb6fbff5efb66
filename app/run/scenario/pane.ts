import {
  boolean,
  check,
  describedBy,
  type Field,
  fail,
  INVALID,
  integer,
  isObject,
  type JsonSchema,
  object,
  oneOf,
  optional,
  orNull,
  type Parser,
  required,
  schemaOf,
} from '../../base/schema.ts';
import {BROWSERS, type BrowserName} from '../../browsers/list.ts';
import {findPipeline, type Pane, type PipelineName, pipelineOf, pipelines} from '../../pipelines/index.ts';
import type {Pipeline} from '../../pipelines/pipeline.ts';
import {CONVERSION, type SendBuffer, type Setting} from '../../pipelines/setting.ts';
import {SERVERS, type ServerName} from '../../servers/list.ts';
import {livePath} from './livePath.ts';
import {paneDrops} from './paneDrops.ts';

/** Parses a pane of any pipeline. Settings that only other pipelines have are rejected. */
export const paneSettings: Parser<Pane> = describedBy(paneSchema, (value, path, problems) => {
  if (!isObject(value)) return fail(problems, path, value, 'an object (a pane)');
  const pipeline = findPipeline(value['pipeline']);
  if (pipeline !== undefined) return paneParser(pipeline)(value, path, problems);
  oneOf(pipelines().map(({name}) => name))(value['pipeline'], `${path}.pipeline`, problems);
  return INVALID;
});

function paneSchema(): JsonSchema {
  return {anyOf: pipelines().map(each => ({description: each.about, ...schemaOf(paneParser(each))}))};
}

/** Parses the name of a browser. */
export const browserName: Parser<BrowserName> = oneOf(BROWSERS.map(({name}) => name));

/** Parses the name of a server. */
export const serverName: Parser<ServerName> = oneOf(SERVERS.map(({name}) => name));

/** Returns a pane over this pipeline with all settings at their defaults. */
function defaultPane(pipeline: PipelineName): Pane {
  const {settings} = pipelineOf(pipeline);
  const defaults = Object.entries(settings).map(([key, setting]) => [key, setting.default]);
  return {pipeline, ...Object.fromEntries(defaults)};
}

/**
 * Changes the pipeline of a pane. Keys that panes of all pipelines have, such as `conversion` and `path`, keep their
 * values. A setting that both pipelines have keeps its value if the new pipeline accepts the value; otherwise it gets
 * the default. All other settings come from `before`, a pane over the new pipeline, for example this pane as it was
 * before. If `before` is undefined, they are the defaults.
 */
export function overPipeline(pane: Pane, pipeline: PipelineName, before: Pane | undefined): Pane {
  const own: {readonly [key: string]: unknown} = pane;
  const shared = Object.entries(pipelineOf(pipeline).settings)
    .filter(([key]) => Object.hasOwn(own, key))
    .map(([key, setting]) => [key, accepts(setting, own[key]) ? own[key] : setting.default]);
  const {
    conversion: _,
    path: __,
    browser: _____,
    webServer: ____,
    drop: ___,
    ...other
  } = before ?? defaultPane(pipeline);
  const {conversion, path, browser, webServer, drop} = pane;
  return {
    ...other,
    ...Object.fromEntries(shared),
    ...(conversion === undefined ? {} : {conversion}),
    ...(path === undefined ? {} : {path}),
    ...(browser === undefined ? {} : {browser}),
    ...(webServer === undefined ? {} : {webServer}),
    ...(drop === undefined ? {} : {drop}),
  } as Pane;
}

/** The panes of a scenario that lists none: TCP and SCTP, which the papers compare. */
export const DEFAULT_PANES: readonly Pane[] = [defaultPane('tcp'), defaultPane('sctp')];

const parsers = new Map<Pipeline, Parser<Pane>>();

function paneParser(pipeline: Pipeline): Parser<Pane> {
  const parser = parsers.get(pipeline) ?? newPaneParser(pipeline);
  parsers.set(pipeline, parser);
  return parser;
}

function newPaneParser(pipeline: Pipeline): Parser<Pane> {
  const {name, paneNoun, settings} = pipeline;
  const fields = Object.entries(settings).map(([key, setting]): [string, Field<unknown>] => {
    const text = {about: setting.help, default: setting.default};
    return [key, optional(valueParser(setting), setting.default, text)];
  });
  const fieldByField = object(paneNoun, {
    pipeline: required(oneOf([name])),
    ...Object.fromEntries(fields),
    conversion: optional(valueParser(CONVERSION), CONVERSION.default, {
      about: CONVERSION.help,
      default: CONVERSION.default,
    }),
    path: optional(livePath, undefined, {
      about: 'The server of this pane, if the path is live. Without this key, the pane uses the server of the path.',
    }),
    browser: optional(browserName, undefined, {
      about: 'The browser of this pane. Without this key, the pane uses the browser of the scenario.',
    }),
    webServer: optional(serverName, undefined, {
      about: 'The web server of this pane. Without this key, the pane uses the server of the scenario.',
    }),
    drop: optional(paneDrops, undefined, {
      about: 'The packets that this pane alone loses, besides those that path.loss loses. null means none.',
    }),
  });
  return describedBy(
    () => schemaOf(fieldByField),
    (value, path, problems) => {
      const refused = refusalOf(pipeline, value);
      if (refused !== undefined) return fail(problems, `${path}.${refused.key}`, refused.value, refused.limit);
      const parsed = fieldByField(value, path, problems);
      if (parsed === INVALID) return INVALID;
      const pane = withoutDefault(parsed);
      const problem = pipeline.problemOf?.(pane);
      if (problem === undefined) return pane;
      const {key, limit} = problem;
      return fail(problems, `${path}.${key}`, new Map(Object.entries(pane)).get(key), limit);
    },
  );
}

/** Returns a setting that the pipeline refuses, with its value and the limit; undefined if there is none. */
function refusalOf({refusals = {}}: Pipeline, given: unknown) {
  const own = isObject(given) ? given : {};
  const [key, limit] = Object.entries(refusals).find(([refused]) => Object.hasOwn(own, refused)) ?? [];
  return key === undefined || limit === undefined ? undefined : {key, value: own[key], limit};
}

/** Removes the default conversion, and other keys that are undefined, because documents do not contain them. */
function withoutDefault(parsed: {
  readonly conversion: unknown;
  readonly path: unknown;
  readonly browser: unknown;
  readonly webServer: unknown;
  readonly drop: unknown;
}): Pane {
  const {conversion, path, browser, webServer, drop, ...served} = parsed;
  return {
    ...served,
    ...(conversion === CONVERSION.default ? {} : {conversion}),
    ...(path === undefined ? {} : {path}),
    ...(browser === undefined ? {} : {browser}),
    ...(webServer === undefined ? {} : {webServer}),
    ...(drop === undefined ? {} : {drop}),
  } as unknown as Pane;
}

/** Whether a setting accepts the value. */
export function accepts(setting: Setting, value: unknown): boolean {
  return check(valueParser(setting), value).ok;
}

function valueParser(setting: Setting): Parser<unknown> {
  switch (setting.kind) {
    case 'choice':
      return oneOf(setting.choices.map(([word]) => word));
    case 'number': {
      const whole = integer(setting.least, setting.most);
      return setting.default === null ? orNull(whole) : whole;
    }
    case 'switch':
      return boolean();
    case 'send-buffer':
      return sendBuffer;
  }
}

const bufferBytes = object('a send buffer', {
  bytes: required(integer(1024, 2 ** 30), {about: 'The size of the send buffer, in bytes.'}),
});
const bufferObjects = object('a send buffer', {
  objects: required(integer(1, 1000), {
    about: 'The size of the send buffer, as a multiple of the largest response of the page.',
  }),
});

const sendBuffer: Parser<SendBuffer | null> = describedBy(bufferSchema, (value, path, problems) => {
  if (value === null) return null;
  if (!isObject(value)) return fail(problems, path, value, '{"bytes": …}, {"objects": …} or null');
  return Object.hasOwn(value, 'objects') ? bufferObjects(value, path, problems) : bufferBytes(value, path, problems);
});

function bufferSchema(): JsonSchema {
  return {anyOf: [{type: 'null'}, schemaOf(bufferBytes), schemaOf(bufferObjects)]};
}
