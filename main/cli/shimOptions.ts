import {isIP} from 'node:net';
import {SCTP_UDP_PORT} from '../live/base/sctpInUdp.ts';
import {listenAt} from './gatewayOptions.ts';
import {liveTokenOf} from './liveOptions.ts';
import {UsageError} from './usageError.ts';

export type ShimCommand = {
  readonly name: 'shim';
  readonly host: string;
  /** Of TCP, at the near end, or of UDP; 0: one that is free. */
  readonly port: number;
  readonly token: string | undefined;
  readonly format: 'json' | 'table';
} & (
  | {readonly end: 'near'; readonly to: {readonly host: string; readonly port: number}}
  | {readonly end: 'far'; readonly origin: URL | undefined; readonly isPrivateAllowed: boolean}
);

interface ShimValues {
  readonly gateway?: boolean | undefined;
  readonly listen?: string | undefined;
  readonly to?: string | undefined;
  readonly origin?: string | undefined;
  readonly token?: string | undefined;
  readonly 'allow-private'?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/** Reads what stands behind `shim`. @throws UsageError */
export function shimOf(values: ShimValues): ShimCommand {
  const {gateway, listen, to, origin, 'allow-private': isPrivateAllowed} = values;
  const token = liveTokenOf(values);
  const common = {name: 'shim', token, format: values.json ? 'json' : 'table'} as const;
  if (!gateway) {
    const [option] = Object.entries({origin, 'allow-private': isPrivateAllowed}).find(([, value]) => value) ?? [];
    if (option !== undefined) throw new UsageError(`--${option} is for the end that has --gateway`);
    if (to === undefined) throw new UsageError('--to HOST:PORT is missing: the shim that has --gateway, or a server');
    return {...common, end: 'near', ...listenAt(listen, NEAR_PORT), to: placeOf(to)};
  }
  if (to !== undefined) throw new UsageError('--to is for the near end: a gateway has --origin, or none');
  if (origin === undefined && token === undefined)
    throw new UsageError('a gateway has --origin http://HOST:PORT, or a --token: it passes on for nobody else');
  const at = {...listenAt(listen, SCTP_UDP_PORT), isPrivateAllowed: isPrivateAllowed ?? false};
  return {...common, end: 'far', ...at, origin: origin === undefined ? undefined : originOf(origin)};
}

function placeOf(text: string): {readonly host: string; readonly port: number} {
  const [, six, name, digits = `${SCTP_UDP_PORT}`] =
    /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const [host = six, port] = [name, Number(digits)];
  if (host === undefined || (six !== undefined && isIP(six) !== 6) || port < 1 || port > MOST_PORT)
    throw new UsageError(`--to is ${text}: must be like 192.0.2.1:9899, [2001:db8::1]:9899 or example.org`);
  return {host, port};
}

function originOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.protocol !== 'http:' || url.href !== `http://${url.host}/`)
    throw new UsageError(`--origin is ${text}: must be like http://127.0.0.1:8000, without a path`);
  return url;
}

/** As proxies have it. */
export const NEAR_PORT = 8080;
const MOST_PORT = 65_535;
