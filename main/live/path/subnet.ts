import type {networkInterfaces} from 'node:os';

/** Both ends of a link that has no others. */
export interface Subnet {
  readonly inside: string;
  readonly outside: string;
}

/**
 * The first four addresses of 198.18.0.0/15, which is for measurements alone (RFC 2544 §C.2.2, RFC 6890), that no
 * interface of this machine has a part of. Undefined: a thousand are in use.
 */
export function freeSubnet(interfaces: ReturnType<typeof networkInterfaces>): Subnet | undefined {
  const used = Object.values(interfaces)
    .flatMap(list => list ?? [])
    .filter(({family}) => family === 'IPv4')
    .map(({address, netmask}) => ({address: numberOf(address), mask: numberOf(netmask)}));
  for (let count = 0; count < MOST_SUBNETS; count++) {
    const first = BENCHMARKING + 4 * count;
    const isUsed = used.some(({address, mask}) => {
      // the wider of both says whether one is in the other
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
