import {type LookupAddress, lookup as systemLookup} from 'node:dns';
import {isIP, type LookupFunction} from 'node:net';
import ipaddr from 'ipaddr.js';

/** Nothing is fetched from this address, unless the user allows it for this page. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
}

/**
 * Whether an IP address belongs to the public Internet: it is not private, loopback, link-local, shared, reserved or
 * multicast (IANA's special-purpose address registries). IPv4 wrapped in IPv6 counts as what it wraps if it is mapped
 * (RFC 4291 §2.5.5.2) or translated (64:ff9b::/96, RFC 6052, which is how an IPv6-only network reaches IPv4). Other
 * forms (compatible, 6to4, Teredo) are never public.
 */
export function isPublic(address: string): boolean {
  try {
    const parsed = ipaddr.process(address);
    if (!('parts' in parsed)) return parsed.range() === 'unicast';
    if (parsed.match(TRANSLATED)) return isPublic(ipaddr.fromByteArray(parsed.toByteArray().slice(12)).toString());
    return parsed.range() === 'unicast' && parsed.match(GLOBAL_UNICAST);
  } catch {
    return false;
  }
}

const TRANSLATED = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/** All IPv6 that IANA has allocated ('IPv6 Global Unicast Address Assignments'). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** Looks up all addresses of a host, by the system or by a test's fake. */
export type Resolve = (
  host: string,
  callback: (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => void,
) => void;

export const resolveBySystem: Resolve = (host, callback) => {
  systemLookup(host, {all: true, verbatim: true}, callback);
};

/**
 * Looks hosts up for connections. The checked address is the one that is connected to, so a second lookup with another
 * answer cannot get around the check. Hosts that are addresses themselves are never looked up: see {@link checkHost}.
 */
export function checkedLookup(resolve: Resolve, mayReach: (address: string) => boolean): LookupFunction {
  return (host, options, callback) => {
    resolve(host, (error, all) => {
      if (error !== null) return callback(error, '');
      const [first] = all;
      const refused = all.find(({address}) => !mayReach(address));
      if (refused !== undefined) return callback(refusal(host, refused.address), '');
      if (first === undefined) return callback(Object.assign(new Error(host), {code: 'ENOTFOUND'}), '');
      if (options.all) callback(null, [...all]);
      else callback(null, first.address, first.family);
    });
  };
}

/** @throws RefusedError if the URL's host is an address that may not be reached. */
export function checkHost(url: URL, mayReach: (address: string) => boolean): void {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !mayReach(host)) throw refusal(host, host);
}

function refusal(host: string, address: string): RefusedError {
  const where = host === address ? address : `${host} is ${address}, which`;
  return new RefusedError(`${where} is not a public address`);
}
