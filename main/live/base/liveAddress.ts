import {promises as dns} from 'node:dns';
import {messageOf} from '../../../app/base/text.ts';

/** Thrown if the address of a live server cannot be found. */
export class LiveError extends Error {
  override readonly name = 'LiveError';
}

/** The address at which a live server can be reached. */
export interface LiveAddress {
  /** `HOST:PORT`, as it is written in the scenario. */
  readonly live: string;
  /** An IP address. */
  readonly host: string;
  readonly port: number;
}

/** Looks up a live server's address. @throws LiveError if it cannot be found */
export async function resolveLive(live: string): Promise<LiveAddress> {
  const [, six, name = six ?? '', port = ''] = /^(?:\[(.*)\]|([^:]*)):(\d+)$/.exec(live) ?? [];
  try {
    const {address} = await dns.lookup(name);
    return {live, host: address, port: Number(port)};
  } catch (error) {
    throw new LiveError(`${live} cannot be found: ${messageOf(error)}`);
  }
}

/**
 * How far each service's port is from the first port of a live server or of an emulated path. SCTP in UDP and the
 * kernel's TCP share the first port. QUIC and TLS on the kernel's TCP share the next one.
 */
export const PORT_OFFSETS = {sctp: 0, quic: 1, tls: 1, tcpInUdp: 2, control: 3} as const;
