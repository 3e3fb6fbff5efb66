import {
  describedBy,
  type Field,
  fail,
  INVALID,
  object,
  oneOf,
  optional,
  type Parser,
  required,
  schemaOf,
} from '../../base/schema.ts';
import {type Pane, pipelineOf} from '../../pipelines/index.ts';
import type {LivePath} from '../../pipelines/setting.ts';
import type {Scenario} from './scenario.ts';

/** Parses the address of a live server: an IPv4 address, an IPv6 address in brackets or a name, each with a port. */
export const liveServer: Parser<string> = describedBy(serverSchema, (value, path, problems) => {
  const [, port] = (typeof value === 'string' && SERVER.exec(value)) || [];
  if (typeof value === 'string' && Number(port) >= 1 && Number(port) <= 65_535) return value;
  return fail(problems, path, value, 'like 127.0.0.1:9899, [::1]:9899 or host.example:9899, with a port of 1 to 65535');
});

function serverSchema() {
  return {type: 'string', pattern: SERVER.source};
}

const SERVER = /^(?:[\w.-]{1,253}|\[[\da-fA-F:.]{2,45}\]):(\d{1,5})$/;

/** Parses which TCP a live path uses. The kernel's TCP is the default and is not written in documents. */
const tcp: Parser<'udp' | undefined> = describedBy(
  () => schemaOf(whoseTcp),
  (value, path, problems) => {
    const parsed = whoseTcp(value, path, problems);
    return parsed === 'kernel' ? undefined : parsed;
  },
);

const whoseTcp = oneOf(['kernel', 'udp']);

/**
 * Parses the fingerprint of a certificate. Capital letters, and colons between bytes, are accepted, because other
 * programs print them.
 */
const fingerprint: Parser<string> = describedBy(
  () => ({type: 'string', pattern: '^(:*[\\da-fA-F]){64}:*$'}),
  (value, path, problems) => {
    const digits = typeof value === 'string' ? value.replaceAll(':', '').toLowerCase() : '';
    if (/^[\da-f]{64}$/.test(digits)) return digits;
    return fail(problems, path, value, 'SHA-256 of a certificate, 64 hexadecimal digits');
  },
);

/** The fields that a scenario's path and a pane's path have in addition to `live`. Each is absent by default. */
const OTHER_FIELDS = {
  tcp: optional(tcp, undefined, {
    about:
      'For a live path: which TCP a tcp pane uses. "kernel" is the TCP of the operating system. "udp" is the TCP of ' +
      "this program, as in computed loads, with the pane's profile. Its segments are sent in UDP datagrams.",
    default: 'kernel',
  }),
  fingerprint: optional(fingerprint, undefined, {
    about: "For a live path with an h3 pane: the SHA-256 of the server's certificate. interleave serve prints it.",
  }),
} satisfies Readonly<Record<string, Field<unknown>>>;

/** The fields in a scenario's path, which may or may not be live. */
export const LIVE_FIELDS = {
  live: optional(liveServer, undefined, {
    about:
      'HOST:PORT of interleave serve. The page is then loaded from that server over real sockets. The real path ' +
      'and the real server replace all settings of the servers, and all settings of the path except tcp, fingerprint ' +
      'and atOnce.',
  }),
  ...OTHER_FIELDS,
};

/** Parses a pane's own path, which is always live. */
export const livePath: Parser<LivePath> = describedBy(
  () => schemaOf(ownPath),
  (value, path, problems) => {
    const parsed = ownPath(value, path, problems);
    return parsed === INVALID ? INVALID : livePartOf(parsed.live, parsed);
  },
);

const ownPath = object("a pane's path", {live: required(liveServer), ...OTHER_FIELDS});

/** Returns the live settings of a path. Undefined if the path is not live. */
export function livePart({live, ...others}: PartOfLive): LivePath | undefined {
  return live === undefined ? undefined : livePartOf(live, others);
}

/** If a path has no `live`, returns the first of its settings that only a live path can have. Otherwise undefined. */
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

/** The live fields of a path. If the path is not live, all are undefined. */
type PartOfLive = {readonly [K in keyof LivePath]?: LivePath[K] | undefined};

/**
 * Returns the pane's own live path, or the scenario's if the pane has none. Undefined if the scenario's path is not
 * live.
 */
export function livePathOf({path}: Pick<Scenario, 'path'>, pane: Pane): LivePath | undefined {
  return path.live === undefined ? undefined : (pane.path ?? livePart(path));
}

/**
 * Whether any pane loads from the address `live` over the kernel's TCP. A path that forwards UDP packets cannot carry
 * such a load.
 */
export function usesKernelTcp({path, panes}: Pick<Scenario, 'path' | 'panes'>, live: string): boolean {
  return panes.some(pane => {
    const own = livePathOf({path}, pane);
    return own?.live === live && own.tcp !== 'udp' && pipelineOf(pane.pipeline).live?.isOverTcp === true;
  });
}
