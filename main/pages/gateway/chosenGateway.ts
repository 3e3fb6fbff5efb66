import {checkToken} from '../../net/token.ts';
import type {Bundle} from '../store/bundle.ts';
import type {GatewayRequest} from './gatewayMessage.ts';
import {fetchBundle} from './gatewayProcess.ts';
import type {StartProcess} from './ownProcess.ts';
import {fetchRemotely, type RemoteGateway} from './remoteGateway.ts';

export interface ChosenOptions {
  /** The gateway on another machine that fetches pages. Undefined if a process of this machine fetches them. */
  readonly gateway: RemoteGateway | undefined;
  /** The module that runs in the gateway's process. */
  readonly module: URL;
  readonly signal: AbortSignal;
  readonly onProgress?: (done: number, all: number) => void;
  /** Starts the gateway's process on this machine. By default it is a process of Node. */
  readonly startProcess?: StartProcess | undefined;
}

/** Fetches a page with the chosen gateway. @throws FetchError; the signal's reason after an abort */
export function fetchByChosen(request: GatewayRequest, options: ChosenOptions): Promise<Bundle> {
  const {gateway, module, startProcess, ...others} = options;
  if (gateway === undefined) return fetchBundle(request, {module, startProcess, ...others});
  return fetchRemotely(request, {gateway, ...others});
}

/** Says how an address that is not public can be allowed on the command line. */
export function privateHint(gateway: RemoteGateway | undefined): string {
  if (gateway === undefined) return '(--allow-private allows it)';
  return '(to allow it, start both this command and the gateway with --allow-private)';
}

/**
 * Returns the gateway on another machine that is to fetch pages. If `named` has no address, the environment variable
 * `INTERLEAVE_GATEWAY` gives the address. The token may be in `INTERLEAVE_GATEWAY_TOKEN`, which does not appear in the
 * process list. Returns undefined if there is no address.
 * @throws RangeError if the address is invalid, or the token is missing or invalid
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

/** @throws RangeError if there is no token, or if {@link checkToken} refuses it */
export function chosenToken(named: string | undefined): string {
  const token = named ?? process.env['INTERLEAVE_GATEWAY_TOKEN'];
  if (!token) throw new RangeError('token is missing (the environment variable INTERLEAVE_GATEWAY_TOKEN may hold it)');
  checkToken(token);
  return token;
}
