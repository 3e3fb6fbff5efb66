import {type LookupAddress, lookup as systemLookup} from 'node:dns';
import {isIP, type LookupFunction} from 'node:net';
import ipaddr from 'ipaddr.js';

/** Thrown if the program refuses to connect to an address. The message is one line for the user. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
}

/**
 * Whether an IP address belongs to the public Internet. Private, loopback, link-local, shared, reserved and multicast
 * addresses do not (IANA's special-purpose address registries). Some IPv6 addresses contain an IPv4 address. Mapped
 * addresses (RFC 4291 §2.5.5.2) and translated addresses (64:ff9b::/96, RFC 6052, for networks with IPv6 only) count as
 * that IPv4 address. All other IPv6 addresses that contain an IPv4 address (compatible, 6to4, Teredo) are never public.
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

/** The range from which IANA allocates global unicast addresses ('IPv6 Global Unicast Address Assignments'). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** Resolves all addresses of a host. Tests replace it with a fake. */
export type Resolve = (
  host: string,
  callback: (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => void,
) => void;

export const resolveBySystem: Resolve = (host, callback) => {
  systemLookup(host, {all: true, verbatim: true}, callback);
};

/**
 * Returns a lookup function for sockets. It refuses a host if `mayReach` is false for any of the host's addresses. The
 * socket connects to the address that was checked, so a later lookup with another answer cannot bypass the check.
 * If a host is an IP address, sockets do not call a lookup function. {@link checkHost} checks such hosts.
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

/**
 * Checks the host of a URL if the host is an IP address. Names are checked by {@link checkedLookup}. @throws
 * RefusedError if `mayReach` is false for the address
 */
export function checkHost(url: URL, mayReach: (address: string) => boolean): void {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !mayReach(host)) throw refusal(host, host);
}

function refusal(host: string, address: string): RefusedError {
  const where = host === address ? address : `${host} is ${address}, which`;
  return new RefusedError(`${where} is not a public address`);
}
