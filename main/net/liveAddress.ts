import {promises as dns} from 'node:dns';
import {messageOf} from '../../app/base/text.ts';

/** Nobody knows where the server is. */
export class LiveError extends Error {
  override readonly name = 'LiveError';
}

/** Where a live server is. */
export interface LiveAddress {
  /** As the scenario has it. */
  readonly live: string;
  /** An IP address. */
  readonly host: string;
  readonly port: number;
}

/** `live` as a scenario has it. @throws LiveError */
export async function resolveLive(live: string): Promise<LiveAddress> {
  const [, six, name = six ?? '', port = ''] = /^(?:\[(.*)\]|([^:]*)):(\d+)$/.exec(live) ?? [];
  try {
    const {address} = await dns.lookup(name);
    return {live, host: address, port: Number(port)};
  } catch (error) {
    throw new LiveError(`${live} cannot be found: ${messageOf(error)}`);
  }
}
