import type {networkInterfaces} from 'node:os';

/** The addresses of both ends of a point-to-point link. `inside` can change: {@link insideAddress}. */
export interface Subnet {
  readonly inside: string;
  readonly outside: string;
}

/**
 * Finds the first /28 network in 198.18.0.0/15 that overlaps no network of this machine. The range 198.18.0.0/15 is
 * reserved for measurements (RFC 2544 §C.2.2, RFC 6890). Undefined if the first thousand /28 networks are all in use.
 */
export function freeSubnet(interfaces: ReturnType<typeof networkInterfaces>): Subnet | undefined {
  const used = Object.values(interfaces)
    .flatMap(list => list ?? [])
    .filter(({family}) => family === 'IPv4')
    .map(({address, netmask}) => ({address: numberOf(address), mask: numberOf(netmask)}));
  for (let count = 0; count < MOST_SUBNETS; count++) {
    const first = BENCHMARKING + 16 * count;
    const isUsed = used.some(({address, mask}) => {
      // Two networks overlap if their addresses are equal under the shorter of the two masks.
      const wider = Math.min(mask, SLASH_28);
      return ((address & wider) ^ (first & wider)) === 0;
    });
    if (!isUsed) return {outside: textOf(first + 1), inside: insideAddress(textOf(first + 1), 0)};
  }
  return undefined;
}

/**
 * Returns the address of the inside end after `handOvers` hand-overs. A /28 network has 13 addresses for this end. They
 * are used in turn.
 */
export function insideAddress(outside: string, handOvers: number): string {
  return textOf(numberOf(outside) + 1 + (handOvers % MOST_INSIDE));
}

/** The number of a dotted IPv4 address. */
export function numberOf(address: string): number {
  return address.split('.').reduce((sum, part) => 256 * sum + Number(part), 0);
}

function textOf(address: number): string {
  return [24, 16, 8, 0].map(shift => (address >>> shift) & 255).join('.');
}

const BENCHMARKING = numberOf('198.18.0.0');
const SLASH_28 = numberOf('255.255.255.240');
/** Length of the prefix of the networks. */
export const PREFIX_BITS = 28;
/** A network has 16 addresses. The first and the last are not for hosts, and one is the outside end's. */
const MOST_INSIDE = 13;
const MOST_SUBNETS = 1000;
