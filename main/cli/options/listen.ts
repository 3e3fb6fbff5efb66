import {isIP, isIPv6} from 'node:net';
import {UsageError} from './usageError.ts';

export interface Place {
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
}

/**
 * Parses where a server is to listen: `ADDRESS:PORT`, one of the two, or neither.
 * @param usualPort the port if none is given
 * @throws UsageError
 */
export function listenAt(text: string | undefined, usualPort = 0): Place {
  if (text === undefined) return {host: LOOPBACK, port: usualPort};
  const [host, port] = /^\d+$/.test(text) ? [LOOPBACK, text] : splitPort(text, usualPort);
  const isHost = isIP(host) !== 0 || host === 'localhost';
  if (!isHost || !/^\d{1,5}$/.test(port) || Number(port) > MOST_PORT)
    throw new UsageError(`--listen is ${text}: must be like 127.0.0.1:8470, [::1]:8470 or 8470`);
  // UDP sockets are given addresses here, never names
  return {host: host === 'localhost' ? LOOPBACK : host, port: Number(port)};
}

function splitPort(text: string, usualPort: number): readonly [host: string, port: string] {
  if (isIP(text) !== 0) return [text, `${usualPort}`];
  const [, six, four = six ?? '', port = `${usualPort}`] = /^(?:\[(.*)\]|([^:]*))(?::(.*))?$/.exec(text) ?? [];
  return [four, port];
}

/** Whether other machines cannot reach this host. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** A host as it is written in addresses: IPv6 in brackets. */
export function hostText(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
}

/**
 * Returns what `start` opens.
 * @param where names the place in the message; its argument is the port that is in use, if the error says which
 * @throws UsageError if the program cannot listen there
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

/** Why the program cannot listen at a place, by Node's error code. */
const REASONS: {readonly [code: string]: string} = {
  EADDRINUSE: 'another program listens there already',
  EADDRNOTAVAIL: 'this machine has no such address',
  EACCES: 'this user may not listen there',
};

const LOOPBACK = '127.0.0.1';
export const MOST_PORT = 65_535;
