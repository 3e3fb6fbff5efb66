import {checkToken} from '../../net/token.ts';
import type {Bundle} from '../store/bundle.ts';
import {fetchBundle} from './gateway.ts';
import type {GatewayRequest} from './gatewayMessage.ts';
import {fetchRemotely, type RemoteGateway} from './remote.ts';

export interface ChosenOptions {
  /** Of another machine; undefined: a process of this one. */
  readonly gateway: RemoteGateway | undefined;
  /** The module of the gateway's process. */
  readonly module: URL;
  readonly signal: AbortSignal;
  readonly onProgress?: (done: number, all: number) => void;
}

/** A page by the gateway that was chosen. @throws FetchError; the signal's reason when that ends it */
export function fetchByChosen(request: GatewayRequest, {gateway, module, ...options}: ChosenOptions): Promise<Bundle> {
  if (gateway === undefined) return fetchBundle(request, {module, ...options});
  return fetchRemotely(request, {gateway, ...options});
}

/** What allows an address that is not public, as it is said at the command line. */
export function privateHint(gateway: RemoteGateway | undefined): string {
  const where = gateway === undefined ? '' : ', here and where the gateway was started';
  return `(--allow-private allows it${where})`;
}

/**
 * The gateway of another machine that was named, or that the environment names: `INTERLEAVE_GATEWAY` with
 * `INTERLEAVE_GATEWAY_TOKEN`, which stands on no command line. Undefined without one.
 * @throws RangeError if it is no address, or there is no token
 */
export function chosenGateway(
  named: {readonly gateway?: string | undefined; readonly token?: string | undefined} = {},
): RemoteGateway | undefined {
  const address = named.gateway ?? process.env['INTERLEAVE_GATEWAY'];
  if (!address) return undefined;
  const url = URL.parse(address);
  const isPlain = url?.pathname === '/' && url.search === '' && url.username === '' && url.password === '';
  if (url === null || !isPlain || !/^https?:$/.test(url.protocol))
    throw new RangeError(`gateway is ${address}: must be like http://192.0.2.1:8470`);
  return {address: url.origin, token: chosenToken(named.token)};
}

/** @throws RangeError if there is none, or it is none that a header can have */
export function chosenToken(named: string | undefined): string {
  const token = named ?? process.env['INTERLEAVE_GATEWAY_TOKEN'];
  if (!token) throw new RangeError('token is missing (INTERLEAVE_GATEWAY_TOKEN may hold it)');
  checkToken(token);
  return token;
}
