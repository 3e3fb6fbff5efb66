import {type LookupAddress, lookup as systemLookup} from 'node:dns';
import {isIP, type LookupFunction} from 'node:net';
import ipaddr from 'ipaddr.js';

/** An address that nothing is fetched from unless the user allows it for this page. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
}

/**
 * Whether an IP address is of the public Internet: not private, loopback, link-local, shared, reserved or a
 * multicast one (IANA's registries of special-purpose addresses), also where IPv6 wraps IPv4: mapped (RFC 4291
 * §2.5.5.2) and translated ones (64:ff9b::/96, RFC 6052, all that a network of IPv6 alone has of IPv4) are what they
 * wrap; of the other forms (compatible, 6to4, Teredo) none is public.
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

/** All that IANA has given away of IPv6 ('IPv6 Global Unicast Address Assignments'). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** All addresses of a host, as the system says or a test. */
export type Resolve = (
  host: string,
  callback: (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => void,
) => void;

export const resolveBySystem: Resolve = (host, callback) => {
  systemLookup(host, {all: true, verbatim: true}, callback);
};

/**
 * Looks hosts up for connections: the address that is checked is the one that is connected to, whatever the next
 * answer would be. Hosts that are addresses are not looked up: see {@link checkHost}.
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
  return new RefusedError(`${where} is no public address`);
}
