import {isIP} from 'node:net';
import type {Trust} from '../pages/base/trust.ts';
import {chosenGateway, chosenToken} from '../pages/gateway/chosenGateway.ts';
import type {RemoteGateway} from '../pages/gateway/remoteGateway.ts';
import {UsageError} from './usageError.ts';

export interface GatewayCommand {
  readonly name: 'gateway';
  readonly host: string;
  /** 0: one that is free. */
  readonly port: number;
  readonly token: string;
  readonly isPrivateAllowed: boolean;
  /** Which servers of https it fetches from. */
  readonly trust?: Trust | undefined;
  readonly format: 'json' | 'table';
}

/** `--listen=ADDRESS` as `--listen ADDRESS`: what it may have, parseArgs gives it always or never. */
export function apartListen(args: readonly string[]): readonly string[] {
  return args.flatMap(arg => (arg.startsWith('--listen=') ? arg.split(/=(.*)/s, 2) : [arg]));
}

/**
 * Where a gateway or server listens: `ADDRESS:PORT`, either of them, or neither. `usualPort` is for where none is said.
 * @throws UsageError
 */
export function listenAt(text: string | undefined, usualPort = 0): Pick<GatewayCommand, 'host' | 'port'> {
  if (text === undefined) return {host: LOOPBACK, port: usualPort};
  const [host, port] = /^\d+$/.test(text) ? [LOOPBACK, text] : splitPort(text, usualPort);
  const isHost = isIP(host) !== 0 || host === 'localhost';
  if (!isHost || !/^\d{1,5}$/.test(port) || Number(port) > MOST_PORT)
    throw new UsageError(`--listen is ${text}: must be like 127.0.0.1:8470, [::1]:8470 or 8470`);
  // sockets of UDP take no names here
  return {host: host === 'localhost' ? LOOPBACK : host, port: Number(port)};
}

function splitPort(text: string, usualPort: number): readonly [host: string, port: string] {
  if (isIP(text) !== 0) return [text, `${usualPort}`];
  const [, six, four = six ?? '', port = `${usualPort}`] = /^(?:\[(.*)\]|([^:]*))(?::(.*))?$/.exec(text) ?? [];
  return [four, port];
}

/** The gateway of another machine; undefined without one. @throws UsageError */
export function remoteOf(values: {
  readonly gateway?: string | undefined;
  readonly token?: string | undefined;
}): RemoteGateway | undefined {
  const gateway = asUsage(() => chosenGateway(values));
  if (gateway === undefined && values.token !== undefined) throw new UsageError('--token counts with --gateway only');
  return gateway;
}

/** @throws UsageError */
export function tokenOf(values: {readonly token?: string | undefined}): string {
  return asUsage(() => chosenToken(values.token));
}

function asUsage<T>(choose: () => T): T {
  try {
    return choose();
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError(`--${error.message}`);
    throw error;
  }
}

const LOOPBACK = '127.0.0.1';
const MOST_PORT = 65_535;
