import {once} from 'node:events';
import {isIP} from 'node:net';
import {showName} from '../../app/base/text.ts';
import type {GatewayAnswer, GatewayRequest} from '../pages/gateway/gatewayMessage.ts';
import {type ListeningGateway, listenGateway} from '../pages/gateway/listeningGateway.ts';
import type {GatewayCommand} from './gatewayOptions.ts';
import {firstLine, outLine} from './output.ts';
import {UsageError} from './usageError.ts';

export interface ServerOptions {
  /** The module of the gateway's process. */
  readonly module: URL;
  readonly write: (text: string) => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Fetches pages for other machines until it is ended.
 * @throws UsageError if it cannot listen there; the signal's reason.
 */
export async function serveGateway(command: GatewayCommand, options: ServerOptions): Promise<never> {
  const {write, signal} = options;
  const isJson = command.format === 'json';
  const onAnswer = (request: GatewayRequest, answer: GatewayAnswer): void => {
    const told = toldOf(request, answer);
    // a reader that has gone is no reason to end
    void write(isJson ? `${JSON.stringify(told)}\n` : `${lineOf(told)}\n`).catch(() => undefined);
  };
  const gateway = await opened(command, {module: options.module, onAnswer});
  try {
    if (!isLoopback(command.host)) process.stderr.write(outLine(WARNING));
    const {address} = gateway;
    await write(isJson ? firstLine({listens: address}) : `The gateway listens on ${address}\n`);
    if (!signal.aborted) await once(signal, 'abort');
    throw signal.reason;
  } finally {
    await gateway.close();
  }
}

async function opened(
  {host, port, token, isPrivateAllowed, trust}: GatewayCommand,
  others: Pick<Parameters<typeof listenGateway>[0], 'module' | 'onAnswer'>,
): Promise<ListeningGateway> {
  try {
    return await listenGateway({host, port, token, isPrivateAllowed, trust, ...others});
  } catch (error) {
    const {code = '', message} = error as NodeJS.ErrnoException;
    if (code === '') throw error;
    throw new UsageError(`cannot listen on ${host}, port ${port}: ${LISTEN_REASONS[code] ?? message}`);
  }
}

/** Nobody else can reach it. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

type Told = {readonly address: string} & ({readonly objects: number; readonly bytes: number} | {readonly why: string});

function toldOf({address}: GatewayRequest, answer: GatewayAnswer): Told {
  if (answer.type === 'refused') return {address, why: answer.why};
  const {objects} = answer.bundle.document;
  return {address, objects: objects.length, bytes: objects.reduce((sum, {bytes}) => sum + bytes, 0)};
}

function lineOf(told: Told): string {
  const came = 'why' in told ? showName(told.why, LONGEST) : `${told.objects} objects, ${told.bytes} B`;
  return `${showName(told.address, LONGEST)}: ${came}`;
}

/** Characters. */
const LONGEST = 500;

const WARNING =
  'other machines reach this gateway: whoever has its token fetches through it, and nothing is encrypted on the way';

/** Why one cannot listen there, by Node's code. */
export const LISTEN_REASONS: {readonly [code: string]: string} = {
  EADDRINUSE: 'somebody listens there already',
  EADDRNOTAVAIL: 'it is no address of this machine',
  EACCES: 'not allowed there',
};
