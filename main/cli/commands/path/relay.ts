import {once} from 'node:events';
import {describePath} from '../../../../app/run/scenario/describe.ts';
import {type RunningPath, runningPathDocument} from '../../../../app/run/scenario/runningPath.ts';
import {PORT_OFFSETS, resolveLive} from '../../../live/base/liveAddress.ts';
import {type LivePath, type LivePathOptions, startPath} from '../../../live/path/livePath.ts';
import {RELAYED} from '../../../live/path/relayedPacket.ts';
import {hostText, isLoopback, listening} from '../../options/listen.ts';
import {firstLine, outLine} from '../../output.ts';
import {changeText, countsText, type PathOutput} from './pathOutput.ts';
import {type PathSettings, scenarioOfPath} from './settings.ts';

/**
 * Relays datagrams through an emulated path until the signal is aborted.
 * @throws UsageError if the program cannot listen at `host` and the ports; LiveError if the server cannot be found; the
 * signal's reason when it is aborted
 */
export async function relayPath(pathSettings: PathSettings, {write, signal}: PathOutput): Promise<never> {
  const {host, port, token, isSameLosses, format} = pathSettings;
  const {path: settings, seed, changes} = scenarioOfPath(pathSettings);
  const to = await resolveLive(pathSettings.to);
  const print = (record: object, line: string): void => {
    // the path continues even if the program that reads its output has closed the pipe
    void write(format === 'json' ? `${JSON.stringify(record)}\n` : `${line}\n`).catch(() => undefined);
  };
  const options: LivePathOptions = {
    settings,
    seed,
    changes,
    onProblem: message => process.stderr.write(outLine(message)),
    host,
    port,
    to,
    token,
    isSameLosses,
    onClient: (client, carries) => print({client, carries}, `${client} is a new client, over ${NAMES[carries]}`),
    onChange: now => print({changed: runningPathDocument(now)}, changeText(now)),
  };
  const path = await listening(
    () => startPath(options),
    () => `${host}, ${port === 0 ? 'four ports' : `ports ${port} to ${port + PORT_OFFSETS.control}`}`,
  );
  try {
    if (!isLoopback(host)) process.stderr.write(outLine(OTHERS));
    const description = relayDescription(path, host, pathSettings.to);
    await write(format === 'json' ? firstLine(description) : beginning(description, path.state()));
    if (!signal.aborted) await once(signal, 'abort');
    const state = path.state();
    await write(format === 'json' ? `${JSON.stringify({ended: runningPathDocument(state)})}\n` : countsText(state));
    throw signal.reason;
  } finally {
    await path.close();
  }
}

function relayDescription(path: LivePath, host: string, to: string) {
  const name = hostText(host);
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

function beginning(description: ReturnType<typeof relayDescription>, {path, seed}: RunningPath): string {
  const relays = description.relays.map(
    ({carries, udpPort, to}) => `  ${NAMES[carries].padEnd(18)} UDP port ${udpPort} to ${to}\n`,
  );
  return `${description.listens} is a path to ${description.to}: ${describePath(path)}, seed ${seed}
${relays.join('')}  ${"the kernel's TCP".padEnd(18)} is not relayed: load with path.tcp=udp, or use --namespace
  ${'settings, counts'.padEnd(18)} ${description.control.url}
`;
}

const NAMES = {sctp: 'HTTP over SCTP', quic: 'HTTP/3 (QUIC)', tcp: 'our TCP in UDP'} as const;
const OTHERS =
  'other machines can reach this path and its server, and whoever has the token can change it; nothing is encrypted';
