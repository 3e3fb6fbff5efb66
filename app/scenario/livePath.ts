import type {Pane} from '../pipelines/index.ts';
import type {LivePath} from '../pipelines/livePath.ts';
import type {Scenario} from './scenario.ts';
import {type Field, fail, object, optional, type Parser, required} from './schema.ts';

/** An address of IPv4, one of IPv6 in brackets, or a name, and a port. */
const liveServer: Parser<string> = (value, path, problems) => {
  const [, port] =
    (typeof value === 'string' && /^(?:[\w.-]{1,253}|\[[\da-fA-F:.]{2,45}\]):(\d{1,5})$/.exec(value)) || [];
  if (typeof value === 'string' && Number(port) >= 1 && Number(port) <= 65_535) return value;
  return fail(problems, path, value, 'like 127.0.0.1:9899, [::1]:9899 or host.example:9899');
};

/** What both a scenario's path and a pane's own have beside `live`, each absent by default. */
const OTHER_FIELDS = {} satisfies Readonly<Record<string, Field<unknown>>>;

/** Of a scenario's path, which need not be live. */
export const LIVE_FIELDS = {live: optional(liveServer, undefined), ...OTHER_FIELDS};

/** A pane's own, which is. */
export const livePath: Parser<LivePath> = object("a pane's path", {
  live: required(liveServer),
  ...OTHER_FIELDS,
});

/** What of a path is of a live one, as a document has it; undefined if it is not live. */
export function livePart({live}: PartOfLive): LivePath | undefined {
  return live === undefined ? undefined : {live};
}

/** Of what may not be live. */
type PartOfLive = {readonly [K in keyof LivePath]?: LivePath[K] | undefined};

/** The pane's own, or else the scenario's; undefined where the load is computed. */
export function livePathOf({path}: Pick<Scenario, 'path'>, pane: Pane): LivePath | undefined {
  return path.live === undefined ? undefined : (pane.path ?? livePart(path));
}
