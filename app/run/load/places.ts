import type {BrowserRules} from '../../browsers/browser.ts';
import type {Places, Target} from '../../http/origins.ts';
import {type Certificate, hostOf, isShared, type Origins} from '../../page/origins.ts';
import type {Outline} from '../../page/outline.ts';

export interface PlacesOptions {
  readonly origins: Origins;
  readonly outline: Pick<Outline, 'anonymous'>;
  readonly rules: Pick<BrowserRules, 'isolatesAnonymous'>;
  /** Which hosts are on the same server, with the same certificate: see `Scenario.certificate`. */
  readonly certificate: Certificate;
  /** Whether requests to several origins of one server may share a connection (RFC 9113 §9.1.1, RFC 9114 §3.3). */
  readonly coalesces: boolean;
  readonly dnsNs: number;
}

/**
 * A place: a server, and connections to it that no other place uses ({@link Places}). In the trace, these connections
 * have the origin `origin`.
 */
export interface NamedPlace {
  readonly hostNumber: number;
  readonly origin: string;
  readonly isAnonymous: boolean;
}

/**
 * Returns the places to which the requests of a page go. Undefined if all go to one place and the look-up of its name
 * takes no time.
 */
export function placesOf(options: PlacesOptions): (Places & {readonly places: readonly NamedPlace[]}) | undefined {
  const {origins, outline, rules, certificate, coalesces, dnsNs} = options;
  const {names} = origins;
  const places: NamedPlace[] = [];
  const add = (hostNumber: number, isAnonymous: boolean): number =>
    places.push({hostNumber, origin: names[hostNumber] ?? '', isAnonymous}) - 1;
  const isApart = (object: number): boolean =>
    rules.isolatesAnonymous && outline.anonymous.has(object) && (origins.of[object] ?? 0) !== 0;
  // places are added in the order of the objects, so the first place is that of the document
  const usual = new Map<number, number>();
  const apart = new Map<number, number>();
  for (const [object, origin] of origins.of.entries()) {
    const of = isApart(object) ? apart : usual;
    if (of.has(origin)) continue;
    const isSameServer = (other: number): boolean => isShared(names[other] ?? '', names[origin] ?? '', certificate);
    const shared = coalesces && of === usual ? [...usual.keys()].find(isSameServer) : undefined;
    of.set(origin, usual.get(shared ?? -1) ?? add(origin, of === apart));
  }
  if (places.length === 1 && dnsNs === 0) return undefined;
  const target = (origin: number, of: ReadonlyMap<number, number>): Target | undefined => {
    const place = of.get(origin);
    return place === undefined ? undefined : {place, host: hostOf(names[origin] ?? '')};
  };
  return {
    places,
    targetOf: object => target(origins.of[object] ?? 0, isApart(object) ? apart : usual) ?? {place: 0, host: ''},
    // browsers also open connections to origins where they request nothing; such a connection is not modelled
    targetAt: (name, isAnonymous) => target(names.indexOf(name), isAnonymous ? apart : usual),
    dnsNs,
  };
}
