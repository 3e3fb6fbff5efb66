import {type Field, fail, INVALID, object, oneOf, optional, type Parser, required} from '../../base/schema.ts';
import {type Pane, pipelineOf} from '../../pipelines/index.ts';
import type {LivePath} from '../../pipelines/livePath.ts';
import type {Scenario} from './scenario.ts';

/** An address of IPv4, one of IPv6 in brackets, or a name, and a port. */
export const liveServer: Parser<string> = (value, path, problems) => {
  const [, port] =
    (typeof value === 'string' && /^(?:[\w.-]{1,253}|\[[\da-fA-F:.]{2,45}\]):(\d{1,5})$/.exec(value)) || [];
  if (typeof value === 'string' && Number(port) >= 1 && Number(port) <= 65_535) return value;
  return fail(problems, path, value, 'like 127.0.0.1:9899, [::1]:9899 or host.example:9899, with a port of 1 to 65535');
};

/** The kernel's is the default, and not written into documents. */
const tcp: Parser<'udp' | undefined> = (value, path, problems) => {
  const parsed = oneOf(['kernel', 'udp'])(value, path, problems);
  return parsed === 'kernel' ? undefined : parsed;
};

/** Colons between bytes and capitals, as other programs print them, are left out. */
const fingerprint: Parser<string> = (value, path, problems) => {
  const digits = typeof value === 'string' ? value.replaceAll(':', '').toLowerCase() : '';
  if (/^[\da-f]{64}$/.test(digits)) return digits;
  return fail(problems, path, value, 'SHA-256 of a certificate, 64 hexadecimal digits');
};

/** What both a scenario's path and a pane's own have beside `live`, each absent by default. */
const OTHER_FIELDS = {
  tcp: optional(tcp, undefined),
  fingerprint: optional(fingerprint, undefined),
} satisfies Readonly<Record<string, Field<unknown>>>;

/** Of a scenario's path, which need not be live. */
export const LIVE_FIELDS = {live: optional(liveServer, undefined), ...OTHER_FIELDS};

/** A pane's own, which is. */
export const livePath: Parser<LivePath> = (value, path, problems) => {
  const parsed = object("a pane's path", {live: required(liveServer), ...OTHER_FIELDS})(value, path, problems);
  return parsed === INVALID ? INVALID : livePartOf(parsed.live, parsed);
};

/** What of a path is of a live one, as a document has it; undefined if it is not live. */
export function livePart({live, ...others}: PartOfLive): LivePath | undefined {
  return live === undefined ? undefined : livePartOf(live, others);
}

/** The first setting of a live path that stands without `live`. */
export function strayLiveKey({live, ...others}: PartOfLive): keyof typeof OTHER_FIELDS | undefined {
  return live === undefined ? OTHER_KEYS.find(key => others[key] !== undefined) : undefined;
}

function livePartOf(live: string, {tcp, fingerprint}: Omit<PartOfLive, 'live'>): LivePath {
  return {
    live,
    ...(tcp === undefined ? {} : {tcp}),
    ...(fingerprint === undefined ? {} : {fingerprint}),
  };
}

const OTHER_KEYS = Object.keys(OTHER_FIELDS) as readonly (keyof typeof OTHER_FIELDS)[];

/** Of what may not be live. */
type PartOfLive = {readonly [K in keyof LivePath]?: LivePath[K] | undefined};

/** The pane's own, or else the scenario's; undefined where the load is computed. */
export function livePathOf({path}: Pick<Scenario, 'path'>, pane: Pane): LivePath | undefined {
  return path.live === undefined ? undefined : (pane.path ?? livePart(path));
}

/** Whether a pane loads from that address by the kernel's TCP, which no path of UDP's packets takes along. */
export function isByKernel({path, panes}: Pick<Scenario, 'path' | 'panes'>, live: string): boolean {
  return panes.some(pane => {
    const own = livePathOf({path}, pane);
    return own?.live === live && own.tcp !== 'udp' && pipelineOf(pane.pipeline).live?.isOverTcp === true;
  });
}
