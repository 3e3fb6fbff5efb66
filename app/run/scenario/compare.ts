import type {Json} from '../../base/json.ts';
import {findPreset} from './presets.ts';
import {MOST_PANES} from './scenario.ts';

/** A path on which transports can be compared. */
export interface ComparePath {
  /** The name of the preset whose path and page are used. */
  readonly preset: string;
  /** Describes the path in plain words, with the numbers of the preset. */
  readonly label: string;
}

/** A transport that can be compared with others. */
export interface ComparedTransport {
  readonly name: string;
  readonly label: string;
  readonly about: string;
  readonly pane: {readonly [key: string]: Json};
}

export const COMPARE_PATHS: readonly ComparePath[] = [
  {preset: 'wifi-bad', label: 'Bad Wi-Fi: 5 Mbit/s, 5 % lost in bursts'},
  {preset: 'lte', label: 'Good mobile network: 100 Mbit/s, 0.2 % lost'},
  {preset: 'lte-slow', label: 'Slow mobile network: 1.6 Mbit/s, nothing lost'},
  {preset: 'leo', label: 'Satellite in a low orbit: 150 Mbit/s, 0.4 % lost'},
  {preset: 'geo', label: 'Satellite in a high orbit: round trip of 600 ms'},
  {preset: 'n08-south-asia', label: 'Another continent: 1 Mbit/s, 350 ms, 3 % lost'},
  {preset: 'n07-movie', label: 'Modem: 56 kbit/s, 1080 ms, 4.3 % lost'},
];

/**
 * The transports from which a user can choose. Unlike the panes of the presets of today's web (`todaysWeb`), HTTP/2 and
 * HTTP/3 have the scheduler `first-come`, and SCTP has 11 streams.
 */
export const COMPARED_TRANSPORTS: readonly ComparedTransport[] = [
  {
    name: 'h1',
    label: 'HTTP/1.1 over TCP',
    about: 'six connections, as browsers open them, with TLS',
    pane: {pipeline: 'tcp', profile: 'modern', connections: 6, pipelining: false, tls: true},
  },
  {
    name: 'h2',
    label: 'HTTP/2',
    about: 'one TCP connection, with TLS',
    pane: {pipeline: 'h2', profile: 'modern', scheduler: 'first-come'},
  },
  {
    name: 'h3',
    label: 'HTTP/3',
    about: 'one QUIC connection',
    pane: {pipeline: 'h3', profile: 'modern', scheduler: 'first-come'},
  },
  {
    name: 'sctp',
    label: 'HTTP over SCTP',
    about: 'one association with a stream for each of 11 objects, over DTLS',
    pane: {pipeline: 'sctp', profile: 'modern', streams: 11, tls: true},
  },
  {
    name: 'pipelined',
    label: 'HTTP/1.1, one connection',
    about: 'one pipelined TCP connection, as in the papers of 2007 and 2008',
    pane: {pipeline: 'tcp', profile: 'modern'},
  },
  {
    name: 'catp',
    label: 'CATP',
    about: 'the context-aware transport of Chen and Mohapatra, 2003',
    pane: {pipeline: 'catp'},
  },
];

/** What is to be compared. */
export interface Comparison {
  /** The preset of a path in {@link COMPARE_PATHS}. */
  readonly path: string;
  /** The names of transports in {@link COMPARED_TRANSPORTS}. */
  readonly transports: readonly string[];
}

/**
 * The comparison that is chosen at first: the transports of today's web, and SCTP, on a path on which their differences
 * can be seen.
 */
export const FIRST_COMPARISON: Comparison = {path: 'wifi-bad', transports: ['h1', 'h2', 'h3', 'sctp']};

/** The smallest number of transports. A single one could not be compared. */
const LEAST_COMPARED = 2;

/** Says why these transports cannot be compared. Null if they can. */
export function wrongNumber({transports}: Pick<Comparison, 'transports'>): string | null {
  const {length} = transports;
  if (length >= LEAST_COMPARED && length <= MOST_PANES) return null;
  return `Choose ${LEAST_COMPARED} to ${MOST_PANES} transports (${length} ${length === 1 ? 'is' : 'are'} chosen)`;
}

/**
 * Returns the document of a scenario that compares transports. If `page` is null, the page is that of the path's
 * preset. The panes have the order of {@link COMPARED_TRANSPORTS}.
 */
export function compareDocument({path, transports}: Comparison, page: Json = null): {readonly [key: string]: Json} {
  const {scenario = {}} = findPreset(path) ?? {};
  const chosen = COMPARED_TRANSPORTS.filter(({name}) => transports.includes(name));
  return {
    page: page ?? scenario['page'] ?? null,
    path: scenario['path'] ?? null,
    panes: chosen.map(({pane}) => pane),
  };
}

/**
 * Reads a comparison from a JSON value. An unknown path is replaced by that of {@link FIRST_COMPARISON}. Unknown
 * transports are left out. If fewer than two remain, the transports are those of {@link FIRST_COMPARISON}.
 */
export function readComparison(value: Json | undefined): Comparison {
  const {path, transports} = (value ?? {}) as {readonly path?: Json; readonly transports?: Json};
  const known = Array.isArray(transports)
    ? COMPARED_TRANSPORTS.map(({name}) => name).filter(name => transports.includes(name))
    : [];
  return {
    path: COMPARE_PATHS.find(({preset}) => preset === path)?.preset ?? FIRST_COMPARISON.path,
    transports: known.length >= LEAST_COMPARED ? known : FIRST_COMPARISON.transports,
  };
}
