import {isIP, isIPv6} from 'node:net';
import {UsageError} from './usageError.ts';

export interface Place {
  readonly host: string;
  /** The port, or 0 for any free port. */
  readonly port: number;
}

/**
 * Parses where a server is to listen: `ADDRESS:PORT`, `ADDRESS` or `PORT`. Without an address, the host is the loopback
 * address 127.0.0.1.
 * @param usualPort the port if the text has none
 * @throws UsageError
 */
export function listenAt(text: string | undefined, usualPort = 0): Place {
  if (text === undefined) return {host: LOOPBACK, port: usualPort};
  const [host, port] = /^\d+$/.test(text) ? [LOOPBACK, text] : splitPort(text, usualPort);
  const isHost = isIP(host) !== 0 || host === 'localhost';
  if (!isHost || !/^\d{1,5}$/.test(port) || Number(port) > MOST_PORT)
    throw new UsageError(`--listen is ${text || 'empty'}: must be like 127.0.0.1:8470, [::1]:8470 or 8470`);
  // the UDP sockets of this program are bound to addresses, never to names
  return {host: host === 'localhost' ? LOOPBACK : host, port: Number(port)};
}

function splitPort(text: string, usualPort: number): readonly [host: string, port: string] {
  if (isIP(text) !== 0) return [text, `${usualPort}`];
  const [, six, four = six ?? '', port = `${usualPort}`] = /^(?:\[(.*)\]|([^:]*))(?::(.*))?$/.exec(text) ?? [];
  return [four, port];
}

/** Returns whether only this machine can reach the host. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** Returns a host as URLs write it: IPv6 addresses are in brackets. */
export function hostText(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
}

/**
 * Returns what `start` returns. If `start` throws an error with a code, for example because a port is in use, a
 * UsageError is thrown instead.
 * @param where returns the address for the message. Its argument is the port of the error, if the error has one.
 * @throws UsageError if the program cannot listen at this address
 */
export async function listening<T>(start: () => Promise<T>, where: (port?: number) => string): Promise<T> {
  try {
    return await start();
  } catch (error) {
    const {code = '', message, port} = error as NodeJS.ErrnoException & {readonly port?: number};
    if (code === '') throw error;
    throw new UsageError(`cannot listen on ${where(port)}: ${REASONS[code] ?? message}`);
  }
}

/** Why the program cannot listen at an address, keyed by Node's error code. */
const REASONS: {readonly [code: string]: string} = {
  EADDRINUSE: 'another program listens there already',
  EADDRNOTAVAIL: 'this machine has no such address',
  EACCES: 'this user may not listen there',
};

const LOOPBACK = '127.0.0.1';
export const MOST_PORT = 65_535;
