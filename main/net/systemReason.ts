import {isIPv6} from 'node:net';

/** Of a socket's other end: an IP address and a port. */
interface Place {
  readonly host: string;
  readonly port: number;
}

/** As {@link systemReason}, with the place where nobody listens: panes may have servers, and transports ports, of their own. */
export function reasonAt(place: Place, error: NodeJS.ErrnoException): string {
  return error.code === 'ECONNREFUSED' ? `nobody listens at ${placeText(place)}` : systemReason(error);
}

/** As a scenario has it. */
export function placeText({host, port}: Place): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** Why a socket is of no use any more: as simulations call it, or else the system's code. */
export function systemReason({code, message}: NodeJS.ErrnoException): string {
  return code === undefined ? message : (REASONS[code] ?? code);
}

const REASONS: {readonly [code: string]: string} = {
  ECONNREFUSED: 'nobody listens there',
  ECONNRESET: 'peer-abort',
  EPIPE: 'peer-abort',
  ETIMEDOUT: 'data-timeout',
};
