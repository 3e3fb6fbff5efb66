import {once} from 'node:events';
import {isIPv6} from 'node:net';
import {describePath} from '../../app/run/scenario/describe.ts';
import {type RunningPath, runningPathDocument} from '../../app/run/scenario/runningPath.ts';
import {PORT_OFFSETS, resolveLive} from '../live/base/liveAddress.ts';
import {type LivePath, type LivePathOptions, startPath} from '../live/path/livePath.ts';
import {RELAYED} from '../live/path/relayedPacket.ts';
import {isLoopback, LISTEN_REASONS} from './gatewayServer.ts';
import {firstLine, outLine} from './output.ts';
import {type PathCommand, scenarioOfPath} from './pathOptions.ts';
import {UsageError} from './usageError.ts';

export interface PathOutput {
  readonly write: (text: string) => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Relays through an emulated path until it is ended.
 * @throws UsageError if it cannot listen there, LiveError; the signal's reason.
 */
export async function relayPath(command: PathCommand, {write, signal}: PathOutput): Promise<never> {
  const {host, format} = command;
  const {path: settings, seed, changes} = scenarioOfPath(command);
  const to = await resolveLive(command.to);
  const tell = (told: object, line: string): void => {
    // a reader that has gone is no reason to end
    void write(format === 'json' ? `${JSON.stringify(told)}\n` : `${line}\n`).catch(() => undefined);
  };
  const path = await listening({
    settings,
    seed,
    host,
    port: command.port,
    to,
    token: command.token,
    isSameLosses: command.isSameLosses,
    onClient: (client, carries) => tell({client, carries}, `${client} has come by ${NAMES[carries]}`),
    onChange: now => tell({changed: runningPathDocument(now)}, `From now on ${describePath(now.path)}`),
  });
  try {
    if (!isLoopback(host)) process.stderr.write(outLine(OTHERS));
    if (changes.length > 0) process.stderr.write(outLine(WITHOUT_CHANGES));
    const told = toldOf(path, host, command.to);
    await write(format === 'json' ? firstLine(told) : beginning(told, path.state()));
    if (!signal.aborted) await once(signal, 'abort');
    const state = path.state();
    await write(format === 'json' ? `${JSON.stringify({ended: runningPathDocument(state)})}\n` : countsText(state));
    throw signal.reason;
  } finally {
    await path.close();
  }
}

async function listening(options: LivePathOptions): Promise<LivePath> {
  try {
    return await startPath(options);
  } catch (error) {
    const {code = '', message} = error as NodeJS.ErrnoException;
    if (code === '') throw error;
    const {host, port} = options;
    const ports = port === 0 ? 'four ports' : `ports ${port} to ${port + PORT_OFFSETS.control}`;
    throw new UsageError(`cannot listen on ${host}, ${ports}: ${LISTEN_REASONS[code] ?? message}`);
  }
}

function toldOf(path: LivePath, host: string, to: string) {
  const name = isIPv6(host) ? `[${host}]` : host;
  const {path: settings, seed} = runningPathDocument(path.state());
  const [, server = '', first = ''] = /^(.*):(\d+)$/.exec(to) ?? [];
  return {
    listens: `${name}:${path.port}`,
    to,
    path: settings,
    seed,
    relays: RELAYED.map(({name: carries, portOffset}) => ({
      carries,
      udpPort: path.port + portOffset,
      to: `${server}:${Number(first) + portOffset}`,
    })),
    control: {url: `http://${name}:${path.port + PORT_OFFSETS.control}/path`},
  };
}

function beginning(told: ReturnType<typeof toldOf>, {path, seed}: RunningPath): string {
  const relays = told.relays.map(
    ({carries, udpPort, to}) => `  ${NAMES[carries].padEnd(18)} UDP port ${udpPort} to ${to}\n`,
  );
  return `${told.listens} is a path to ${told.to}: ${describePath(path)}, seed ${seed}
${relays.join('')}  ${"the kernel's TCP".padEnd(18)} does not pass here: path.tcp=udp, or --namespace
  ${'settings, counts'.padEnd(18)} ${told.control.url}
`;
}

/** What became of all packets. */
export function countsText({counts: {down, up}, refused}: RunningPath): string {
  const ways = Object.entries({down, up}).map(
    ([way, {passed, lost, queueFull, tooLarge}]) =>
      `${way.padEnd(4)}  ${passed} packets passed, ${lost} were lost, ${queueFull} found the queue full, ${tooLarge} were larger than the MTU\n`,
  );
  return `${ways.join('')}${refused === 0 ? '' : `${refused} were not taken by this machine or the server's\n`}`;
}

const NAMES = {sctp: 'HTTP over SCTP', quic: 'HTTP/3 (QUIC)', tcp: 'our TCP in UDP'} as const;
const OTHERS =
  'other machines reach this path, and the server through it; whoever has the token changes it, and nothing is encrypted on the way';
export const WITHOUT_CHANGES = "the scenario's changes are left out: PATCH /path changes this path";
