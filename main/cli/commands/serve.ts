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
import {type PageContext, scenarioWithPage} from '../options/chosenPage.ts';
import {hostText, isLoopback, listenAt, listening, type Place} from '../options/listen.ts';
import {liveTokenOf} from '../options/live.ts';
import {type Format, formatOf} from '../options/output.ts';
import {ACCESS_OPTIONS, trustOf} from '../options/trust.ts';
import {firstLine, outLine, printLeftOut} from '../output.ts';

interface ServeSettings extends Place {
  /** The page to serve, in any form that `--page` accepts. If undefined, `gallery` is served. */
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
      help: 'The page: a name, or anything else that --page of interleave run accepts. The default is gallery.',
    },
    listen: {
      type: 'string',
      value: 'ADDRESS:PORT',
      help:
        `Where the server listens. The default is 127.0.0.1:${SCTP_UDP_PORT}. The address or the port may be left ` +
        'out, and port 0 means any free port. Other machines can reach the server only if the address is not a ' +
        'loopback address.',
    },
    token: {
      type: 'string',
      value: 'T',
      help:
        'The token that every request must have (Authorization: Bearer T), at least 16 characters. @FILE names a ' +
        'file with the token; the file must be accessible to its owner only. INTERLEAVE_TOKEN may hold the same value: ' +
        'other users of the machine can see options, but not environment variables.',
    },
    ...ACCESS_OPTIONS,
    json: {
      type: 'boolean',
      help: 'Prints a line of JSON that says where the server listens, with its certificate in PEM.',
    },
  },
  details: `
The server offers the page over five protocols at the same time. Press Ctrl+C to end the server.

  port        protocol
  TCP ${SCTP_UDP_PORT}    HTTP/1.1 over the TCP of the kernel
  UDP ${SCTP_UDP_PORT}    HTTP/1.1 over the streams of SCTP
  TCP ${SCTP_UDP_PORT + PORT_OFFSETS.tls}    HTTP/2 or HTTP/1.1 with TLS 1.3
  UDP ${SCTP_UDP_PORT + PORT_OFFSETS.quic}    HTTP/3
  UDP ${SCTP_UDP_PORT + PORT_OFFSETS.tcpInUdp}    HTTP/1.1 over our own TCP, in UDP

If --listen names another port P, the servers use the ports P, P+1 and P+2 in the same way.

SCTP packets are carried in UDP (RFC 6951), and the SCTP port is ${SCTP_HTTP_PORT}. The SCTP stack and the HTTP server are those of a
computed load. A request that arrives on a stream is answered on the same stream. The server keeps no state for a packet
unless the packet belongs to an association or begins one.

HTTP/3 uses TLS 1.3 with a self-signed certificate that is made at each start. The server prints the SHA-256 of the
certificate, and path.fingerprint of a scenario must have this value. The priorities of requests (RFC 9218) decide how
responses share a connection. The server uses the congestion control of the profile modern; the setting of a pane applies
to the client only.

HTTP/2 uses the same certificate, and ALPN chooses between HTTP/2 and HTTP/1.1. This port is for other programs, such as
curl. A response that becomes urgent cannot overtake data that the kernel has already accepted.

Our own TCP in UDP is for scenarios with path.tcp=udp. It is the TCP of computed loads, and both ends use the profile of
the pane. No standard defines this form of TCP in UDP, and no other program can use it.

For each protocol, the server accepts at most ${peers} connections or associations. It closes a connection after ${idleMs / 1000} s without
a request, if a request has not arrived completely after ${requestMs / 1000} s, if requests wait and no answer is completed for ${answerMs / 1000} s,
or if more than ${waiting} requests wait on an association or on a connection of HTTP/3. If a client connects when the
limit is reached, the client address with the most connections loses the one that has been idle longest. If none of them
is idle, the server may close another connection, but only of an address that has more connections than the address of
the new client. Otherwise it refuses the new client. An IPv6 /64 counts as one address. While more than ${halfOpen}
HTTP/3 handshakes are unfinished, new clients first have to answer a Retry.
`,
  examples: [
    {does: 'Serve the gallery on this machine', line: 'interleave serve --page gallery'},
    {does: 'Read the page with another program', line: `curl http://127.0.0.1:${SCTP_UDP_PORT}/`},
    {
      does: 'Read the page over HTTP/2',
      line: `curl --http2 --insecure https://127.0.0.1:${SCTP_UDP_PORT + PORT_OFFSETS.tls}/`,
    },
    {
      does: 'Serve a page of your own to other machines',
      line: `TOKEN=$(openssl rand -base64 24)
interleave serve --page ./my-page --listen 192.0.2.1 --token $TOKEN --json`,
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
    untilInterrupted(signal => servePage(settings, {fixtures, module: GATEWAY, signal, write}), 'the server has ended'),
});

interface ServeOptions extends PageContext {
  readonly write: (text: string) => Promise<void>;
}

/**
 * Serves a page until the signal is aborted.
 * @throws UsageError if the program cannot listen at `host` and the ports; PageError; the signal's reason when it is
 * aborted
 */
export async function servePage(settings: ServeSettings, options: ServeOptions): Promise<never> {
  const {write, signal, fixtures} = options;
  const {host, token, page: name, isPrivateAllowed, trust} = settings;
  const choice = {scenario: undefined, page: name ?? USUAL_PAGE, isPrivateAllowed, trust, overrides: []};
  const page = await openPage((await scenarioWithPage(choice, options)).page, fixtures);
  printLeftOut(page);
  const server = await listening(
    () => startServer({page, host, port: settings.port, token}),
    // the error says which of the server's ports is in use
    (port = settings.port) => `${host}, port ${port}`,
  );
  try {
    if (!isLoopback(host)) process.stderr.write(outLine(token === undefined ? OPEN : WITH_TOKEN));
    const at = `${hostText(host)}:${server.port}`;
    const description: ServerDescription = {
      page: {name: choice.page, hash: page.hash, objects: page.objects.length},
      listens: at,
      tcp: {address: host, port: server.port, url: `http://${at}/`},
      sctp: {address: host, udpPort: server.port, port: SCTP_HTTP_PORT},
      quic: {address: host, udpPort: server.quic.port, fingerprint: server.quic.fingerprint},
      https: {...https(host, server.tls.port), certificate: server.tls.certificate},
      tcpInUdp: {address: host, udpPort: server.tcpInUdpPort},
    };
    await write(settings.format === 'json' ? firstLine(description) : textOf(description));
    return await untilEnded(signal);
  } finally {
    await server.close();
  }
}

function https(address: string, port: number) {
  return {address, port, url: `https://${hostText(address)}:${port}/`};
}

/** What `--json` prints. */
interface ServerDescription {
  readonly page: {readonly name: string; readonly hash: string; readonly objects: number};
  readonly listens: string;
  readonly tcp: {readonly address: string; readonly port: number; readonly url: string};
  readonly sctp: {readonly address: string; readonly udpPort: number; readonly port: number};
  readonly quic: {readonly address: string; readonly udpPort: number; readonly fingerprint: string};
  readonly https: {
    readonly address: string;
    readonly port: number;
    readonly url: string;
    /** The server's certificate, in PEM. It changes when the server is started again. */
    readonly certificate: string;
  };
  readonly tcpInUdp: {readonly address: string; readonly udpPort: number};
}

function textOf({page, listens, tcp, sctp, quic, https, tcpInUdp}: ServerDescription): string {
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
  'other machines can reach this server, and whoever has the token can read it; only HTTP/3 and https are encrypted';
const OPEN =
  'other machines can reach this server, and everybody can read the page; ' +
  'with --token T, only clients with the token can read it';
