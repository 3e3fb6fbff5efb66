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
        'Where it listens: an IP address of this machine or localhost, a port, or both, such as 127.0.0.1:8470. ' +
        'Without a value, the loopback address and a free port.',
    },
    token: {
      type: 'string',
      value: 'T',
      help:
        'The token that clients have to know, at least 16 characters. INTERLEAVE_GATEWAY_TOKEN may hold it instead, ' +
        'which no other user of the machine sees.',
    },
    'allow-private': {
      type: 'boolean',
      help:
        'Clients may ask for addresses that are not public, as this machine sees them: private, loopback and ' +
        'link-local ones.',
    },
    ...TRUST_OPTIONS,
    json: {type: 'boolean', help: 'Prints a line of JSON that says where it listens, then one for each page.'},
  },
  details: `
Pages are fetched as interleave fetch does it: at most four at once, each in a process of its own. Nothing is kept. It
ends with Ctrl+C.

The token and the pages are not encrypted on their way. Outside a network that you trust, put a tunnel or a proxy with
TLS before the gateway.
`,
  examples: [
    {does: 'Start a gateway', line: 'interleave gateway --listen 192.0.2.1:8470 --token T'},
    {
      does: 'Fetch a page through it, on another machine',
      line: `interleave fetch https://example.org/ --out example \\
  --gateway http://192.0.2.1:8470 --token T`,
    },
    {
      does: 'Open the window so that it fetches through the gateway',
      line: 'INTERLEAVE_GATEWAY=http://192.0.2.1:8470 INTERLEAVE_GATEWAY_TOKEN=T npm start',
    },
  ],
  read({values, operands}): GatewaySettings {
    const [at, other] = operands;
    if (!values.listen) throw new UsageError('a gateway listens: interleave gateway --listen [ADDRESS:PORT] --token T');
    if (other !== undefined) throw new UsageError(`a gateway listens once: ${at} and ${other} are two`);
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
    untilInterrupted(signal => serveGateway(settings, {module: GATEWAY, write, signal}), 'the gateway ends'),
});

interface ServerOptions {
  /** The module of the gateway's process. */
  readonly module: URL;
  readonly write: (text: string) => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Fetches pages for other machines until the signal ends it.
 * @throws UsageError if the program cannot listen there; the signal's reason
 */
export async function serveGateway(settings: GatewaySettings, {module, write, signal}: ServerOptions): Promise<never> {
  const {host, port, token, isPrivateAllowed, trust} = settings;
  const isJson = settings.format === 'json';
  const onAnswer = (request: GatewayRequest, answer: GatewayAnswer): void => {
    const told = toldOf(request, answer);
    // the gateway continues even if the reader of its output has closed the pipe
    void write(isJson ? `${JSON.stringify(told)}\n` : `${lineOf(told)}\n`).catch(() => undefined);
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

/** Most characters of an address or a reason in a line. */
const LONGEST = 500;

const WARNING =
  'other machines reach this gateway: whoever has its token fetches through it, and nothing is encrypted on the way';
