import {randomBytes} from 'node:crypto';
import {once} from 'node:events';
import {describePath} from '../../../../app/run/scenario/describe.ts';
import {runningPathDocument} from '../../../../app/run/scenario/runningPath.ts';
import {PORT_OFFSETS} from '../../../live/base/liveAddress.ts';
import {NamespaceError} from '../../../live/path/namespaceName.ts';
import {type NamespacePath, type NamespacePathOptions, startNamespacePath} from '../../../live/path/namespacePath.ts';
import {listening} from '../../options/listen.ts';
import {UsageError} from '../../options/usageError.ts';
import {firstLine, outLine} from '../../output.ts';
import {changeText, countsText, type PathOutput} from './pathOutput.ts';
import {type PathSettings, scenarioOfPath} from './settings.ts';

/**
 * Makes a network namespace and emulates a path between it and this machine, until the signal is aborted.
 * @throws UsageError if the namespace cannot be made, or if the program cannot listen at the port of the control; the
 * signal's reason when it is aborted
 */
export async function namespacePath(pathSettings: PathSettings, {write, signal}: PathOutput): Promise<never> {
  // The control, through which the path can be changed over HTTP, requires a token, because programs in the namespace
  // and all users of this machine can reach it.
  const {namespace: name = '', port, token = madeToken(), format} = pathSettings;
  const {path: settings, seed, changes} = scenarioOfPath(pathSettings);
  const path = await started({
    settings,
    seed,
    changes,
    onProblem: message => process.stderr.write(outLine(message)),
    name,
    port,
    token,
    onChange: (now, inside) => {
      const record = {changed: runningPathDocument(now), inside};
      const address = now.handOvers === 0 ? '' : `, and the namespace has the address ${inside}`;
      const text = format === 'json' ? JSON.stringify(record) : `${changeText(now)}${address}`;
      // the path continues even if the program that reads its output has closed the pipe
      void write(`${text}\n`).catch(() => undefined);
    },
  });
  try {
    const description = namespaceDescription(path, name, {
      port,
      token: pathSettings.token === undefined ? token : undefined,
    });
    await write(format === 'json' ? firstLine(description) : beginning(description, path));
    if (!signal.aborted) await once(signal, 'abort');
    const state = path.state();
    await write(format === 'json' ? `${JSON.stringify({ended: runningPathDocument(state)})}\n` : countsText(state));
    throw signal.reason;
  } finally {
    await path.close();
  }
}

function madeToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

async function started(options: NamespacePathOptions): Promise<NamespacePath> {
  try {
    return await listening(
      () => startNamespacePath(options),
      () => `port ${options.port + PORT_OFFSETS.control}`,
    );
  } catch (error) {
    if (error instanceof NamespaceError) throw new UsageError(`--namespace ${options.name}: ${error.message}`);
    throw error;
  }
}

interface Control {
  readonly port: number;
  /** The token of the control, if the program made it. Undefined if the user gave the token. */
  readonly token: string | undefined;
}

function namespaceDescription({inside, outside, state}: NamespacePath, namespace: string, {port, token}: Control) {
  const {path, seed} = runningPathDocument(state());
  return {
    namespace,
    inside,
    outside,
    path,
    seed,
    server: `${outside}:${port}`,
    control: {
      url: `http://${outside}:${port + PORT_OFFSETS.control}/path`,
      ...(token === undefined ? {} : {token}),
    },
  };
}

function beginning(description: ReturnType<typeof namespaceDescription>, {state}: NamespacePath): string {
  const {path, seed} = state();
  const {namespace, inside, outside, server, control} = description;
  const lines = [
    ['start a server', `interleave serve --listen ${server}`],
    ['load the page', `ip netns exec ${namespace} interleave run --set 'path={"live": "${server}"}'`],
    ['settings, counts', control.url],
    ...(control.token === undefined ? [] : [['token for these', control.token] as const]),
  ] as const;
  return `namespace ${namespace} (${inside}) reaches this machine (${outside}) through a path: ${describePath(path)}, seed ${seed}
${lines.map(([name, text]) => `  ${name.padEnd(18)} ${text}\n`).join('')}`;
}

const TOKEN_BYTES = 16;
