import {showName} from '../../../app/base/text.ts';
import type {Trust} from '../../pages/base/trust.ts';
import type {GatewayAnswer, GatewayRequest} from '../../pages/gateway/gatewayMessage.ts';
import {listenGateway} from '../../pages/gateway/listeningGateway.ts';
import {GATEWAY} from '../bundled.ts';
import {command} from '../command.ts';
import {untilEnded, untilInterrupted} from '../interruption.ts';
import {gatewayTokenOf} from '../options/gateway.ts';
import {isLoopback, listenAt, listening, type Place} from '../options/listen.ts';
import {type Format, formatOf} from '../options/output.ts';
import {TRUST_OPTIONS, trustOf} from '../options/trust.ts';
import {UsageError} from '../options/usageError.ts';
import {firstLine, outLine} from '../output.ts';

interface GatewaySettings extends Place {
  readonly token: string;
  readonly isPrivateAllowed: boolean;
  readonly trust: Trust | undefined;
  readonly format: Format;
}

export const gateway = command({
  name: 'gateway',
  group: 'Use real pages and real networks',
  summary: 'Fetch pages for other machines',
  usage: ['--listen [ADDRESS:PORT] --token T [options]'],
  hasOperands: true,
  options: {
    listen: {
      type: 'boolean',
      isValueOptional: true,
      value: '[ADDRESS:PORT]',
      help:
        'Where the gateway listens: an IP address of this machine or localhost, a port, or both, such as ' +
        '127.0.0.1:8470. The default is the loopback address and any free port.',
    },
    token: {
      type: 'string',
      value: 'T',
      help:
        'The token that clients must send, at least 16 characters. INTERLEAVE_GATEWAY_TOKEN may hold it instead: ' +
        'other users of the machine can see options, but not environment variables.',
    },
    'allow-private': {
      type: 'boolean',
      help:
        'Clients may request addresses that are not public (private, loopback and link-local ones). Such ' +
        'an address then means a server in the network of this machine, not in that of the client.',
    },
    ...TRUST_OPTIONS,
    json: {
      type: 'boolean',
      help: 'Prints a line of JSON that says where the gateway listens, then a line for each page.',
    },
  },
  details: `
The gateway fetches pages like interleave fetch: at most four at the same time, each in a separate process. It stores
nothing. Press Ctrl+C to end the gateway.

The token and the pages are not encrypted in transit. In a network that you do not trust, put a tunnel or a proxy with
TLS in front of the gateway.
`,
  examples: [
    {
      does: 'Make a token, and start a gateway',
      line: `TOKEN=$(openssl rand -base64 24)
interleave gateway --listen 192.0.2.1:8470 --token $TOKEN`,
    },
    {
      does: 'Fetch a page through the gateway, on another machine, with the same token',
      line: `interleave fetch https://example.org/ --out example \\
  --gateway http://192.0.2.1:8470 --token $TOKEN`,
    },
    {
      does: 'Open a window that fetches pages through the gateway',
      line: 'INTERLEAVE_GATEWAY=http://192.0.2.1:8470 INTERLEAVE_GATEWAY_TOKEN=$TOKEN npm start',
    },
  ],
  read({values, operands}): GatewaySettings {
    const [at, other] = operands;
    if (!values.listen)
      throw new UsageError('--listen is missing: interleave gateway --listen [ADDRESS:PORT] --token T');
    if (other !== undefined) throw new UsageError(`a gateway listens at one address: ${at} and ${other} are two`);
    const {host, port} = listenAt(at);
    return {
      host,
      port,
      token: gatewayTokenOf(values),
      isPrivateAllowed: values['allow-private'] ?? false,
      trust: trustOf(values),
      format: formatOf(values),
    };
  },
  run: (settings, {write}) =>
    untilInterrupted(signal => serveGateway(settings, {module: GATEWAY, write, signal}), 'the gateway has ended'),
});

interface ServerOptions {
  /** The module of the gateway's process. */
  readonly module: URL;
  readonly write: (text: string) => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Fetches pages for other machines until the signal is aborted.
 * @throws UsageError if the program cannot listen at `host` and `port`; the signal's reason when it is aborted
 */
export async function serveGateway(settings: GatewaySettings, {module, write, signal}: ServerOptions): Promise<never> {
  const {host, port, token, isPrivateAllowed, trust} = settings;
  const isJson = settings.format === 'json';
  const onAnswer = (request: GatewayRequest, answer: GatewayAnswer): void => {
    const report = requestReport(request, answer);
    // the gateway continues even if the reader of its output has closed the pipe
    void write(isJson ? `${JSON.stringify(report)}\n` : `${lineOf(report)}\n`).catch(() => undefined);
  };
  const gateway = await listening(
    () => listenGateway({host, port, token, isPrivateAllowed, trust, module, onAnswer}),
    () => `${host}, port ${port}`,
  );
  try {
    if (!isLoopback(host)) process.stderr.write(outLine(WARNING));
    const {address} = gateway;
    await write(isJson ? firstLine({listens: address}) : `The gateway listens on ${address}\n`);
    return await untilEnded(signal);
  } finally {
    await gateway.close();
  }
}

type RequestReport = {readonly address: string} & (
  | {readonly objects: number; readonly bytes: number}
  | {readonly why: string}
);

function requestReport({address}: GatewayRequest, answer: GatewayAnswer): RequestReport {
  if (answer.type === 'refused') return {address, why: answer.why};
  const {objects} = answer.bundle.document;
  return {address, objects: objects.length, bytes: objects.reduce((sum, {bytes}) => sum + bytes, 0)};
}

function lineOf(report: RequestReport): string {
  const came = 'why' in report ? showName(report.why, LONGEST) : `${report.objects} objects, ${report.bytes} B`;
  return `${showName(report.address, LONGEST)}: ${came}`;
}

/** The maximum number of characters of an address or a reason in a line. */
const LONGEST = 500;

const WARNING =
  'other machines can reach this gateway, and whoever has the token can fetch pages with it; nothing is encrypted';
