import {showName} from '../../../app/base/text.ts';
import {PORT_OFFSETS} from '../../live/base/liveAddress.ts';
import {SCTP_HTTP_PORT, SCTP_UDP_PORT} from '../../live/base/sctpInUdp.ts';
import {startServer} from '../../live/server/liveServer.ts';
import {SERVER_LIMITS} from '../../live/server/serverLimits.ts';
import type {Trust} from '../../pages/base/trust.ts';
import {openPage} from '../../pages/openPage.ts';
import {GATEWAY} from '../bundled.ts';
import {command} from '../command.ts';
import {untilEnded, untilInterrupted} from '../interruption.ts';
import {type PageSurroundings, scenarioWithPage} from '../options/chosenPage.ts';
import {hostText, isLoopback, listenAt, listening, type Place} from '../options/listen.ts';
import {liveTokenOf} from '../options/live.ts';
import {type Format, formatOf} from '../options/output.ts';
import {ACCESS_OPTIONS, trustOf} from '../options/trust.ts';
import {firstLine, outLine, tellLeftOut} from '../output.ts';

interface ServeSettings extends Place {
  /** The page to serve, as for `--page` of other commands. If undefined, the gallery. */
  readonly page: string | undefined;
  readonly isPrivateAllowed: boolean;
  readonly trust: Trust | undefined;
  readonly token: string | undefined;
  readonly format: Format;
}

const {peers, halfOpen, idleMs, requestMs, answerMs, waiting} = SERVER_LIMITS;

export const serve = command({
  name: 'serve',
  group: 'Use real pages and real networks',
  summary: 'Serve a page on real sockets, over TCP, SCTP, HTTP/2 and HTTP/3',
  usage: ['[options]'],
  options: {
    page: {
      type: 'string',
      value: 'PAGE',
      help: 'The page: a name, or anything that --page of interleave run takes. gallery without it.',
    },
    listen: {
      type: 'string',
      value: 'ADDRESS:PORT',
      help:
        `Where it listens; 127.0.0.1:${SCTP_UDP_PORT} without it. An address or a port alone will do, and port 0 is a ` +
        'free one. Other machines reach it only if the address is not a loopback address.',
    },
    token: {
      type: 'string',
      value: 'T',
      help:
        'The token that every request must have (Authorization: Bearer T), at least 16 characters. @FILE names a file ' +
        'that only its owner can read. INTERLEAVE_TOKEN may hold it instead, which no other user of the machine sees.',
    },
    ...ACCESS_OPTIONS,
    json: {type: 'boolean', help: 'Prints a line of JSON that says where it listens, with the certificate in PEM.'},
  },
  details: `
The page is served in five ways at once. It ends with Ctrl+C.

  port        protocol
  TCP ${SCTP_UDP_PORT}    HTTP/1.1 over the TCP of the kernel
  UDP ${SCTP_UDP_PORT}    HTTP/1.1 over the streams of SCTP
  TCP ${SCTP_UDP_PORT + PORT_OFFSETS.tls}    HTTP/2 or HTTP/1.1 with TLS 1.3
  UDP ${SCTP_UDP_PORT + PORT_OFFSETS.quic}    HTTP/3
  UDP ${SCTP_UDP_PORT + PORT_OFFSETS.tcpInUdp}    HTTP/1.1 over our own TCP, in UDP

With another --listen the ports have the same order.

SCTP is in UDP (RFC 6951), at SCTP's port ${SCTP_HTTP_PORT}. Its stack and server are those of a computed load. A request that arrives
on a stream is answered on that stream. Nothing is kept of a packet that begins no association.

HTTP/3 has TLS 1.3 with a certificate that is made at each start and signs itself. Its SHA-256 is printed;
path.fingerprint of a scenario has to name it. Responses share a connection as their requests ask (RFC 9218). The
server's congestion control is that of the profile modern; the setting of a pane applies to the client's end.

HTTP/2 has the same certificate, and ALPN chooses between it and HTTP/1.1. It is there for the clients of other
programs: the kernel sends what it has taken in that order, whatever becomes more urgent later.

Our own TCP in UDP is for scenarios whose path.tcp is udp. It is the TCP of computed loads, with the profile of the pane
at both ends. No standard has TCP in UDP in this form, and no other program speaks it.

Each server accepts at most ${peers} connections or associations. One ends after ${idleMs / 1000} s without a request, ${requestMs / 1000} s inside a
request, ${answerMs / 1000} s with an answer that is not taken, or with ${waiting} requests that wait. When all are taken, the client address that
has most of them loses the one that was idle longest. HTTP/3 handshakes beyond ${halfOpen} unfinished ones have to answer a Retry
first.
`,
  examples: [
    {does: 'Serve the gallery on this machine', line: 'interleave serve --page gallery'},
    {does: 'Read it with other programs', line: `curl http://127.0.0.1:${SCTP_UDP_PORT}/`},
    {
      does: 'Read it by HTTP/2',
      line: `curl --http2 --insecure https://127.0.0.1:${SCTP_UDP_PORT + PORT_OFFSETS.tls}/`,
    },
    {
      does: 'Serve a page of your own to other machines',
      line: 'interleave serve --page ./my-page --listen 192.0.2.1 --token T --json',
    },
  ],
  read({values}): ServeSettings {
    const token = liveTokenOf(values);
    const {host, port} = listenAt(values.listen, SCTP_UDP_PORT);
    return {
      page: values.page,
      isPrivateAllowed: values['allow-private'] ?? false,
      trust: trustOf(values),
      host,
      port,
      token,
      format: formatOf(values),
    };
  },
  run: (settings, {fixtures, write}) =>
    untilInterrupted(signal => servePage(settings, {fixtures, module: GATEWAY, signal, write}), 'the server ends'),
});

interface ServeOptions extends PageSurroundings {
  readonly write: (text: string) => Promise<void>;
}

/**
 * Serves a page until the signal ends it.
 * @throws UsageError if the program cannot listen there, PageError; the signal's reason
 */
export async function servePage(settings: ServeSettings, options: ServeOptions): Promise<never> {
  const {write, signal, fixtures} = options;
  const {host, token, page: name, isPrivateAllowed, trust} = settings;
  const choice = {scenario: undefined, page: name ?? USUAL_PAGE, isPrivateAllowed, trust, overrides: []};
  const page = await openPage((await scenarioWithPage(choice, options)).page, fixtures);
  tellLeftOut(page);
  const server = await listening(
    () => startServer({page, host, port: settings.port, token}),
    // the error names the port that is in use, which may be one that follows the first port
    (port = settings.port) => `${host}, port ${port}`,
  );
  try {
    if (!isLoopback(host)) process.stderr.write(outLine(token === undefined ? OPEN : WITH_TOKEN));
    const at = `${hostText(host)}:${server.port}`;
    const told: Told = {
      page: {name: choice.page, hash: page.hash, objects: page.objects.length},
      listens: at,
      tcp: {address: host, port: server.port, url: `http://${at}/`},
      sctp: {address: host, udpPort: server.port, port: SCTP_HTTP_PORT},
      quic: {address: host, udpPort: server.quic.port, fingerprint: server.quic.fingerprint},
      https: {...https(host, server.tls.port), certificate: server.tls.certificate},
      tcpInUdp: {address: host, udpPort: server.tcpInUdpPort},
    };
    await write(settings.format === 'json' ? firstLine(told) : textOf(told));
    return await untilEnded(signal);
  } finally {
    await server.close();
  }
}

function https(address: string, port: number) {
  return {address, port, url: `https://${hostText(address)}:${port}/`};
}

/** What `--json` prints. */
interface Told {
  readonly page: {readonly name: string; readonly hash: string; readonly objects: number};
  readonly listens: string;
  readonly tcp: {readonly address: string; readonly port: number; readonly url: string};
  readonly sctp: {readonly address: string; readonly udpPort: number; readonly port: number};
  readonly quic: {readonly address: string; readonly udpPort: number; readonly fingerprint: string};
  readonly https: {
    readonly address: string;
    readonly port: number;
    readonly url: string;
    /** The server's certificate, in PEM. A program that trusts this certificate trusts this server until it ends. */
    readonly certificate: string;
  };
  readonly tcpInUdp: {readonly address: string; readonly udpPort: number};
}

function textOf({page, listens, tcp, sctp, quic, https, tcpInUdp}: Told): string {
  const lines = [
    `${showName(page.name)}, ${page.objects} objects`,
    `  HTTP/1.1 over TCP      ${tcp.url}`,
    `  HTTP over SCTP         ${listens} (UDP), SCTP port ${sctp.port}`,
    `  HTTP/3                 UDP port ${quic.udpPort}, certificate ${quic.fingerprint}`,
    `  HTTP/2 over TLS        ${https.url}, the same certificate`,
    `  HTTP/1.1 over our TCP  UDP port ${tcpInUdp.udpPort}`,
  ];
  return lines.map(line => `${line}\n`).join('');
}

const USUAL_PAGE = 'gallery';
const WITH_TOKEN =
  'other machines reach this server: whoever has its token has the page, and only HTTP/3 and https are encrypted on the way';
const OPEN = 'other machines reach this server, and everybody has the page: --token asks for one';
