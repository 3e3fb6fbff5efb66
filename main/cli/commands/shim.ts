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

/** Where one end of a shim listens. The port is a TCP port at the near end, and a UDP port at the far end. */
type ShimSettings = Place & {
  readonly token: string | undefined;
  readonly format: Format;
} & (
    | {readonly end: 'near'; readonly to: Place}
    | {readonly end: 'far'; readonly origin: URL | undefined; readonly isPrivateAllowed: boolean}
  );

/** The port that proxies usually have. */
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
      help: `Starts a near end. It names the far end, or an interleave serve; the port is ${SCTP_UDP_PORT} without one.`,
    },
    gateway: {type: 'boolean', help: 'Starts a far end.'},
    origin: {
      type: 'string',
      value: 'http://HOST:PORT',
      help: 'Far end: the server that answers requests without a host. It may have any address.',
    },
    'allow-private': {
      type: 'boolean',
      help: 'Far end: passes on to addresses that are not public, too: private, loopback and link-local ones.',
    },
    token: {
      type: 'string',
      value: 'T',
      help:
        'The token of the far end, at least 16 characters. A far end without one serves its origin alone. @FILE names ' +
        'a file that only its owner can read. INTERLEAVE_TOKEN may hold it instead, which no other user of the machine ' +
        'sees.',
    },
    listen: {
      type: 'string',
      value: 'ADDRESS:PORT',
      help:
        `Where it listens; without it 127.0.0.1:${NEAR_PORT} (TCP) for a near end, and 127.0.0.1:${SCTP_UDP_PORT} (UDP) ` +
        'for a far end. Other machines reach it only if the address is not a loopback address.',
    },
    json: {type: 'boolean', help: 'Prints a line of JSON that says where it listens.'},
  },
  details: `
N07 (Natarajan et al., section 6) suggests such a shim. The near end runs where the program is, the far end where its
servers are. The program uses the near end as a proxy or as a server. Each request goes to the far end on a stream of
its own, in one SCTP association in UDP, and the far end asks the server. It ends with Ctrl+C.

As a proxy, the near end passes on http addresses, and makes tunnels (CONNECT) for https to port ${tunnelPorts.join(', ')}. A program that
reads one stream slowly holds back that stream alone: at most ${FRAMED.windowBytes / 1024} KiB of it are on their way. If an answer is cut off, its
connection ends with an error. After an association has ended, the next request begins a new one.

The ends answer some requests themselves, and say so:

  502  The other end or the server is gone.
  503  ${waiting} requests wait for a stream already.
  504  No answer came: a connection may take ${connectMs / 1000} s, an answer ${SHIM_LIMITS.answerMs / 1000} s.
  403  The far end refuses the destination.

An association ends after ${idleMs / 1000} s without a request, or ${silenceMs / 1000} s without a word from its other end. A far end has at most
${associations} associations. Instead of a far end, --to may name an interleave serve: the near end then has the page of that server. At
most ${plainMiB} MiB of an answer wait for a slow program, and ${plainInAllMiB} MiB of all answers together. The same limits hold for clients
that use a far end without a near end.

The token and the pages are not encrypted on their way.
`,
  examples: [
    {does: 'Start the far end', line: 'interleave shim --gateway --listen 192.0.2.1 --token T'},
    {does: 'Start the near end, on another machine', line: 'interleave shim --to 192.0.2.1 --token T'},
    {does: 'Read a page through both', line: `curl -x http://127.0.0.1:${NEAR_PORT} http://example.org/`},
    {does: 'Use them with a browser', line: `chromium --proxy-server=http://127.0.0.1:${NEAR_PORT}`},
  ],
  read({values}): ShimSettings {
    const {gateway, listen, to, origin, 'allow-private': isPrivateAllowed} = values;
    const token = liveTokenOf(values);
    const common = {token, format: formatOf(values)};
    if (!gateway) {
      const [option] = Object.entries({origin, 'allow-private': isPrivateAllowed}).find(([, value]) => value) ?? [];
      if (option !== undefined) throw new UsageError(`--${option} is for the end that has --gateway`);
      if (to === undefined) throw new UsageError('--to HOST:PORT is missing: the shim that has --gateway, or a server');
      return {...common, end: 'near', ...listenAt(listen, NEAR_PORT), to: placeOf(to)};
    }
    if (to !== undefined) throw new UsageError('--to is for the near end: a gateway has --origin, or none');
    if (origin === undefined && token === undefined)
      throw new UsageError('a gateway has --origin http://HOST:PORT, or a --token: it passes on for nobody else');
    const at = listenAt(listen, SCTP_UDP_PORT);
    const originUrl = origin === undefined ? undefined : originOf(origin);
    return {...common, end: 'far', ...at, isPrivateAllowed: isPrivateAllowed ?? false, origin: originUrl};
  },
  run: (settings, {write}) => untilInterrupted(signal => runShim(settings, {write, signal}), 'the shim ends'),
});

interface ShimSurroundings {
  readonly write: (text: string) => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Runs one end of a shim until the signal ends it.
 * @throws UsageError if the program cannot listen there; the signal's reason
 */
export async function runShim(settings: ShimSettings, {write, signal}: ShimSurroundings): Promise<never> {
  const {host, port, end, format} = settings;
  const shim = await listening<{readonly port: number; readonly close: () => Promise<void>}>(
    () => (settings.end === 'near' ? startNear(settings) : startFar(settings)),
    () => `${host}, port ${port}`,
  );
  try {
    if (!isLoopback(host)) process.stderr.write(outLine(warningOf(settings)));
    const listens = placeText({host, port: shim.port});
    const told =
      settings.end === 'near'
        ? {end, listens, http: `http://${listens}/`, to: placeText(settings.to)}
        : {end, listens, origin: settings.origin?.origin ?? null};
    await write(format === 'json' ? firstLine(told) : textOf(settings, listens));
    return await untilEnded(signal);
  } finally {
    await shim.close();
  }
}

function textOf(settings: ShimSettings, listens: string): string {
  if (settings.end === 'near')
    return `The shim listens on http://${listens}/, a proxy; requests go to ${placeText(settings.to)} over SCTP\n`;
  const {origin} = settings;
  const whose = origin === undefined ? '' : `; requests without a host go to ${origin.origin}`;
  return `The gateway shim listens on ${listens} (UDP)${whose}\n`;
}

function placeText({host, port}: Place): string {
  return `${hostText(host)}:${port}`;
}

function warningOf({end, token}: ShimSettings): string {
  if (end === 'near') return 'other machines reach this shim, and everybody has what its gateway has';
  const who = token === undefined ? 'everybody has its origin' : 'whoever has its token asks through it';
  return `other machines reach this gateway: ${who}, and nothing is encrypted on the way`;
}

function placeOf(text: string): Place {
  const [, six, name, digits = `${SCTP_UDP_PORT}`] =
    /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const [host = six, port] = [name, Number(digits)];
  if (host === undefined || (six !== undefined && isIP(six) !== 6) || port < 1 || port > MOST_PORT)
    throw new UsageError(`--to is ${text}: must be like 192.0.2.1:9899, [2001:db8::1]:9899 or example.org`);
  return {host, port};
}

function originOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.protocol !== 'http:' || url.href !== `http://${url.host}/`)
    throw new UsageError(`--origin is ${text}: must be like http://127.0.0.1:8000, without a path`);
  return url;
}
