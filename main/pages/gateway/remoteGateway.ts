import {once} from 'node:events';
import {type IncomingMessage, request as requestHttp} from 'node:http';
import {request as requestHttps} from 'node:https';
import {FetchError} from '../base/pageErrors.ts';
import {distrustOf, tlsTrust} from '../base/trust.ts';
import type {Bundle} from '../store/bundle.ts';
import {readFrames} from './gatewayFrames.ts';
import type {GatewayRequest} from './gatewayMessage.ts';
import {LONGEST_MS} from './gatewayProcess.ts';

/** A gateway on another machine (`listeningGateway.ts`). */
export interface RemoteGateway {
  /** `http://HOST:PORT` or `https://HOST:PORT`. The port is missing if it is the default of the scheme (80 or 443). */
  readonly address: string;
  readonly token: string;
}

export interface RemoteOptions {
  readonly gateway: RemoteGateway;
  readonly signal: AbortSignal;
  readonly onProgress?: (done: number, all: number) => void;
}

/**
 * Fetches a page like `fetchBundle`, but by the gateway of another machine.
 * @throws FetchError if the page cannot be fetched or the gateway cannot be reached; the signal's reason after an abort
 */
export async function fetchRemotely(request: GatewayRequest, options: RemoteOptions): Promise<Bundle> {
  const {gateway, signal, onProgress} = options;
  signal.throwIfAborted();
  try {
    const response = await asked(request, gateway, signal);
    if (response.statusCode !== 200) throw new FetchError(await refusal(response));
    for await (const message of readFrames(response)) {
      if (message.type === 'progress') onProgress?.(message.done, message.all);
      else if (message.type === 'bundle') return message.bundle;
      else throw new FetchError(message.why, message.isPrivate);
    }
    throw new FetchError('the gateway closed the connection early');
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof FetchError) throw error;
    const {code} = error as NodeJS.ErrnoException;
    if (typeof code !== 'string') throw error;
    const distrust = distrustOf(code);
    if (distrust !== undefined) throw new FetchError(`the gateway cannot be reached: ${distrust}`);
    throw new FetchError(REASONS[code] ?? `the gateway cannot be reached (${code})`);
  }
}

/** Sends the request, and returns the response as soon as its header has arrived. */
async function asked(
  request: GatewayRequest,
  {address, token}: RemoteGateway,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const url = new URL('/bundle', address);
  const body = JSON.stringify({
    address: request.address,
    isProgressive: request.isProgressive,
    isPrivateAllowed: request.isPrivateAllowed,
  });
  const asking = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
    method: 'POST',
    signal,
    timeout: CONNECT_MS,
    ...tlsTrust(request.trust),
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
    },
  });
  asking.on('timeout', () => asking.destroy(new FetchError('the gateway does not answer')));
  asking.end(body);
  const [response] = (await once(asking, 'response')) as [IncomingMessage];
  // the gateway may send nothing for a long time between two objects
  asking.setTimeout(LONGEST_MS);
  return response;
}

/** Tells the user why the gateway refused the request, with the beginning of the gateway's own message. */
async function refusal(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of response as AsyncIterable<Uint8Array>) {
    text += Buffer.from(piece).toString();
    if (text.length > MOST_TEXT) break;
  }
  return `the gateway answers ${response.statusCode}: ${text.slice(0, MOST_TEXT).trim()}`;
}

const MOST_TEXT = 200;

/** Longest time until the header of the response arrives. A gateway sends the header before it fetches the page. */
const CONNECT_MS = 20_000;

const REASONS: {readonly [code: string]: string} = {
  ECONNREFUSED: 'no gateway answers at this address',
  ENOTFOUND: 'the gateway’s host is unknown',
  EAI_AGAIN: 'the gateway’s host cannot be looked up now',
  ECONNRESET: 'the gateway closed the connection early',
  ERR_STREAM_PREMATURE_CLOSE: 'the gateway closed the connection early',
};
