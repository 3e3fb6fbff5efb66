import {isIPv6} from 'node:net';

/**
 * Returns the group of an address. Limits count all addresses of one group as one address. The group of an IPv4 address
 * is the address itself. The group of an IPv6 address is its /64 network, because one client usually has a whole /64
 * (RFC 7421 §2). An IPv4 address that is mapped to IPv6 counts as the IPv4 address (RFC 4291 §2.5.5.2).
 */
export function addressGroup(address: string): string {
  const [bare = ''] = address.split('%', 1);
  if (!isIPv6(bare)) return bare;
  const groups = groupsOf(bare);
  const [a, b, c, d, e, f, high = 0, low = 0] = groups;
  if ([a, b, c, d, e].every(group => group === 0) && f === 0xffff)
    return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  return `${groups
    .slice(0, NETWORK_GROUPS)
    .map(group => group.toString(16))
    .join(':')}::/64`;
}

function groupsOf(address: string): number[] {
  // The class URL writes an IPv4 tail as two groups, and :: for zeros.
  const {hostname} = new URL(`http://[${address}]`);
  const [before = '', behind] = hostname.slice(1, -1).split('::');
  const read = (text = ''): number[] => (text === '' ? [] : text.split(':').map(group => Number.parseInt(group, 16)));
  const [first, last] = [read(before), read(behind)];
  return [...first, ...Array<number>(GROUPS - first.length - last.length).fill(0), ...last];
}

const [GROUPS, NETWORK_GROUPS] = [8, 4];
