import {promises as dns} from 'node:dns';
import {messageOf} from '../../../app/base/text.ts';

/** Thrown if the host name of a live server cannot be resolved. */
export class LiveError extends Error {
  override readonly name = 'LiveError';
}

/** The address at which a live server can be reached. */
export interface LiveAddress {
  /** `HOST:PORT`, as written in the scenario. */
  readonly live: string;
  /** The server's IP address. */
  readonly host: string;
  readonly port: number;
}

/** Resolves the host name in `HOST:PORT`. @throws LiveError if it cannot be resolved */
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
 * The distance of each service's port from the first port of a live server or of an emulated path. The kernel's TCP
 * without TLS has no entry: it uses the first port.
 */
export const PORT_OFFSETS = {sctp: 0, quic: 1, tls: 1, tcpInUdp: 2, control: 3} as const;
