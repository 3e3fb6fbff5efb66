import {isIP} from 'node:net';
import {SCTP_UDP_PORT} from '../../live/base/sctpInUdp.ts';
import {startFar} from '../../live/shim/far.ts';
import {startNear} from '../../live/shim/near.ts';
import {SHIM_LIMITS} from '../../live/shim/shimLimits.ts';
import {FRAMED} from '../../live/shim/shimProtocol.ts';
import {command} from '../command.ts';
import {untilEnded, untilInterrupted} from '../interruption.ts';
import {hostText, isLoopback, listenAt, listening, MOST_PORT, type Place} from '../options/listen.ts';
import {liveTokenOf} from '../options/live.ts';
import {type Format, formatOf} from '../options/output.ts';
import {UsageError} from '../options/usageError.ts';
import {firstLine, outLine} from '../output.ts';

/**
 * The settings of one end of a shim. `host` and `port` are where that end listens: the near end on a TCP port, the far
 * end on a UDP port.
 */
type ShimSettings = Place & {
  readonly token: string | undefined;
  readonly format: Format;
} & (
    | {readonly end: 'near'; readonly to: Place}
    | {readonly end: 'far'; readonly origin: URL | undefined; readonly isPrivateAllowed: boolean}
  );

/** The default port of the near end. Many HTTP proxies use it. */
export const NEAR_PORT = 8080;

const {connectMs, silenceMs, idleMs, waiting, associations, tunnelPorts} = SHIM_LIMITS;
const [plainMiB, plainInAllMiB] = [SHIM_LIMITS.plainUnreadBytes, SHIM_LIMITS.plainUnreadInAllBytes].map(
  bytes => bytes / 1024 / 1024,
);

export const shim = command({
  name: 'shim',
  group: 'Use real pages and real networks',
  summary: 'Let programs that know only TCP use the streams of SCTP',
  usage: ['--to HOST:PORT [options]', '--gateway [options]'],
  options: {
    to: {
      type: 'string',
      value: 'HOST:PORT',
      help:
        'Starts the near end. HOST:PORT is the address of the far end, or of a server that interleave serve started. ' +
        `The default port is ${SCTP_UDP_PORT}.`,
    },
    gateway: {type: 'boolean', help: 'Starts the far end.'},
    origin: {
      type: 'string',
      value: 'http://HOST:PORT',
      help: 'Far end: the server to which requests without a host are sent. It may have any address.',
    },
    'allow-private': {
      type: 'boolean',
      help: 'Far end: also passes requests on to addresses that are not public: private, loopback and link-local addresses.',
    },
    token: {
      type: 'string',
      value: 'T',
      help:
        'The token of the far end, at least 16 characters. A far end without a token passes requests on to its ' +
        'origin only. @FILE names a file with the token; only its owner may be able to read it. INTERLEAVE_TOKEN may ' +
        'hold the same value: other users of the machine can see options, but not environment variables.',
    },
    listen: {
      type: 'string',
      value: 'ADDRESS:PORT',
      help:
        `Where this end listens. The default is 127.0.0.1:${NEAR_PORT} (TCP) for the near end, and ` +
        `127.0.0.1:${SCTP_UDP_PORT} (UDP) for the far end. Other machines can reach this end only if the address is ` +
        'not a loopback address.',
    },
    json: {type: 'boolean', help: 'Prints a line of JSON that says where this end listens.'},
  },
  details: `
A shim consists of two ends, as N07 (Natarajan et al., section 6) suggests. The near end runs near the program, and the
far end runs near the servers. The program uses the near end as its proxy or as its server. The near end sends each
request on a separate stream of one SCTP association, which is carried in UDP, and the far end sends the request to the
server. Press Ctrl+C to end the shim.

As a proxy, the near end passes on requests for http addresses, and opens tunnels (CONNECT) for https to port ${tunnelPorts.join(', ')}. If
a program reads one stream slowly, only that stream is held back: at most ${FRAMED.windowBytes / 1024} KiB of the stream are in transit. If an answer
is cut off, the connection of the program is closed with an error. After an association has ended, the next request
begins a new association.

The shim answers some requests itself, and the text of the answer says so:

  502  The other end or the server cannot be reached.
  503  ${waiting} requests already wait for a stream.
  504  No answer came: a connection may take ${connectMs / 1000} s, an answer ${SHIM_LIMITS.answerMs / 1000} s.
  403  The far end refuses the destination.

An association ends after ${idleMs / 1000} s without a request, or when nothing has arrived from the other end for ${silenceMs / 1000} s. A far end has
at most ${associations} associations. Instead of a far end, --to may name a server that interleave serve started; the program then
reads the page of that server. At most ${plainMiB} MiB of an answer are stored for a slow program, and ${plainInAllMiB} MiB of all answers
together. The same limits apply to clients that use a far end without a near end.

The token and the pages are not encrypted in transit.
`,
  examples: [
    {
      does: 'Make a token, and start the far end',
      line: `TOKEN=$(openssl rand -base64 24)
interleave shim --gateway --listen 192.0.2.1 --token $TOKEN`,
    },
    {
      does: 'Start the near end, on another machine, with the same token',
      line: 'interleave shim --to 192.0.2.1 --token $TOKEN',
    },
    {does: 'Read a page through the shim', line: `curl -x http://127.0.0.1:${NEAR_PORT} http://example.org/`},
    {does: 'Use the shim with a browser', line: `chromium --proxy-server=http://127.0.0.1:${NEAR_PORT}`},
  ],
  read({values}): ShimSettings {
    const {gateway, listen, to, origin, 'allow-private': isPrivateAllowed} = values;
    const token = liveTokenOf(values);
    const common = {token, format: formatOf(values)};
    if (!gateway) {
      const [option] = Object.entries({origin, 'allow-private': isPrivateAllowed}).find(([, value]) => value) ?? [];
      if (option !== undefined) throw new UsageError(`--${option} is for the far end: --gateway is missing`);
      if (to === undefined) throw new UsageError('--to HOST:PORT is missing: it names the far end, or a server');
      return {...common, end: 'near', ...listenAt(listen, NEAR_PORT), to: placeOf(to)};
    }
    if (to !== undefined)
      throw new UsageError('--to is for the near end: the far end (--gateway) may have --origin instead');
    if (origin === undefined && token === undefined)
      throw new UsageError(
        '--gateway needs --origin http://HOST:PORT or --token T: without both it could serve nobody',
      );
    const at = listenAt(listen, SCTP_UDP_PORT);
    const originUrl = origin === undefined ? undefined : originOf(origin);
    return {...common, end: 'far', ...at, isPrivateAllowed: isPrivateAllowed ?? false, origin: originUrl};
  },
  run: (settings, {write}) => untilInterrupted(signal => runShim(settings, {write, signal}), 'the shim has ended'),
});

interface ShimContext {
  readonly write: (text: string) => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Runs one end of a shim until the signal is aborted.
 * @throws UsageError if the program cannot listen at `host` and `port`; the signal's reason when it is aborted
 */
export async function runShim(settings: ShimSettings, {write, signal}: ShimContext): Promise<never> {
  const {host, port, end, format} = settings;
  const shim = await listening<{readonly port: number; readonly close: () => Promise<void>}>(
    () => (settings.end === 'near' ? startNear(settings) : startFar(settings)),
    () => `${host}, port ${port}`,
  );
  try {
    if (!isLoopback(host)) process.stderr.write(outLine(warningOf(settings)));
    const listens = placeText({host, port: shim.port});
    const description =
      settings.end === 'near'
        ? {end, listens, http: `http://${listens}/`, to: placeText(settings.to)}
        : {end, listens, origin: settings.origin?.origin ?? null};
    await write(format === 'json' ? firstLine(description) : textOf(settings, listens));
    return await untilEnded(signal);
  } finally {
    await shim.close();
  }
}

function textOf(settings: ShimSettings, listens: string): string {
  if (settings.end === 'near')
    return `The near end listens on http://${listens}/ and sends requests to ${placeText(settings.to)} over SCTP\n`;
  const {origin} = settings;
  const ofOrigin = origin === undefined ? '' : `; it sends requests without a host to ${origin.origin}`;
  return `The far end listens on ${listens} (UDP)${ofOrigin}\n`;
}

function placeText({host, port}: Place): string {
  return `${hostText(host)}:${port}`;
}

function warningOf({end, token}: ShimSettings): string {
  if (end === 'near')
    return 'other machines can reach this near end, and everybody can read all that its far end can read';
  const who = token === undefined ? 'everybody can read from its origin' : 'whoever has the token can use it';
  return `other machines can reach this far end, and ${who}; nothing is encrypted in transit`;
}

function placeOf(text: string): Place {
  const [, six, name, digits = `${SCTP_UDP_PORT}`] =
    /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const [host = six, port] = [name, Number(digits)];
  if (host === undefined || (six !== undefined && isIP(six) !== 6) || port < 1 || port > MOST_PORT)
    throw new UsageError(`--to is ${text || 'empty'}: must be like 192.0.2.1:9899, [2001:db8::1]:9899 or example.org`);
  return {host, port};
}

function originOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.protocol !== 'http:' || url.href !== `http://${url.host}/`)
    throw new UsageError(`--origin is ${text || 'empty'}: must be like http://127.0.0.1:8000, without a path`);
  return url;
}
