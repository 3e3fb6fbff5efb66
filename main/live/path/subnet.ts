import type {networkInterfaces} from 'node:os';

/** Both ends of a point-to-point link. */
export interface Subnet {
  readonly inside: string;
  readonly outside: string;
}

/**
 * The first free /30 network in 198.18.0.0/15, which is reserved for measurements (RFC 2544 §C.2.2, RFC 6890). It
 * overlaps no interface of this machine. Undefined if a thousand of them are in use.
 */
export function freeSubnet(interfaces: ReturnType<typeof networkInterfaces>): Subnet | undefined {
  const used = Object.values(interfaces)
    .flatMap(list => list ?? [])
    .filter(({family}) => family === 'IPv4')
    .map(({address, netmask}) => ({address: numberOf(address), mask: numberOf(netmask)}));
  for (let count = 0; count < MOST_SUBNETS; count++) {
    const first = BENCHMARKING + 4 * count;
    const isUsed = used.some(({address, mask}) => {
      // the wider mask decides whether one contains the other
      const wider = Math.min(mask, SLASH_30);
      return ((address & wider) ^ (first & wider)) === 0;
    });
    if (!isUsed) return {outside: textOf(first + 1), inside: textOf(first + 2)};
  }
  return undefined;
}

function numberOf(address: string): number {
  return address.split('.').reduce((sum, part) => 256 * sum + Number(part), 0);
}

function textOf(address: number): string {
  return [24, 16, 8, 0].map(shift => (address >>> shift) & 255).join('.');
}

const BENCHMARKING = numberOf('198.18.0.0');
const SLASH_30 = numberOf('255.255.255.252');
const MOST_SUBNETS = 1000;
