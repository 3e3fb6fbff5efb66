import {once} from 'node:events';
import {isIPv6} from 'node:net';
import {startFar} from '../live/shim/far.ts';
import {startNear} from '../live/shim/near.ts';
import {isLoopback, LISTEN_REASONS} from './gatewayServer.ts';
import {firstLine, outLine} from './output.ts';
import type {ShimCommand} from './shimOptions.ts';
import {UsageError} from './usageError.ts';

export interface ShimSurroundings {
  readonly write: (text: string) => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * One end of a shim until it is ended.
 * @throws UsageError if it cannot listen there; the signal's reason.
 */
export async function runShim(command: ShimCommand, {write, signal}: ShimSurroundings): Promise<never> {
  const {host, end, format} = command;
  const shim = await started(command);
  try {
    if (!isLoopback(host)) process.stderr.write(outLine(warningOf(command)));
    const listens = placeText({host, port: shim.port});
    const told =
      command.end === 'near'
        ? {end, listens, http: `http://${listens}/`, to: placeText(command.to)}
        : {end, listens, origin: command.origin?.origin ?? null};
    await write(format === 'json' ? firstLine(told) : textOf(command, listens));
    if (!signal.aborted) await once(signal, 'abort');
    throw signal.reason;
  } finally {
    await shim.close();
  }
}

async function started(command: ShimCommand): Promise<{readonly port: number; readonly close: () => Promise<void>}> {
  try {
    return await (command.end === 'near' ? startNear(command) : startFar(command));
  } catch (error) {
    const {code = '', message} = error as NodeJS.ErrnoException;
    if (code === '') throw error;
    const {host, port} = command;
    throw new UsageError(`cannot listen on ${host}, port ${port}: ${LISTEN_REASONS[code] ?? message}`);
  }
}

function textOf(command: ShimCommand, listens: string): string {
  if (command.end === 'near')
    return `The shim listens on http://${listens}/, a proxy; requests go to ${placeText(command.to)} over SCTP\n`;
  const {origin} = command;
  const whose = origin === undefined ? '' : `; what has no host is asked of ${origin.origin}`;
  return `The gateway shim listens on ${listens} (UDP)${whose}\n`;
}

function placeText({host, port}: {readonly host: string; readonly port: number}): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

function warningOf({end, token}: ShimCommand): string {
  if (end === 'near') return 'other machines reach this shim, and everybody has what its gateway has';
  const who = token === undefined ? 'everybody has its origin' : 'whoever has its token asks through it';
  return `other machines reach this gateway: ${who}, and nothing is encrypted on the way`;
}
