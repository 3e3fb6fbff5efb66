import {isIPv6} from 'node:net';

/** The other end of a socket. `host` is an IP address. */
interface Place {
  readonly host: string;
  readonly port: number;
}

/**
 * Like {@link systemReason}, but names the place if nobody listens there, because each pane may have its own server,
 * and each transport its own port.
 */
export function reasonAt(place: Place, error: NodeJS.ErrnoException): string {
  return error.code === 'ECONNREFUSED' ? `nobody listens at ${placeText(place)}` : systemReason(error);
}

/** A place as `HOST:PORT`, like in scenarios. */
export function placeText({host, port}: Place): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** Why a socket failed: in the same words as in simulations, or else by the system's code. */
export function systemReason({code, message}: NodeJS.ErrnoException): string {
  return code === undefined ? message : (REASONS[code] ?? code);
}

const REASONS: {readonly [code: string]: string} = {
  ECONNREFUSED: 'nobody listens there',
  ECONNRESET: 'peer-abort',
  EPIPE: 'peer-abort',
  ETIMEDOUT: 'data-timeout',
};
