import {once} from 'node:events';
import {isIPv6} from 'node:net';
import {showName} from '../../app/base/text.ts';
import {SCTP_HTTP_PORT} from '../live/base/sctpInUdp.ts';
import {type LiveServer, type LiveServerOptions, startServer} from '../live/server/liveServer.ts';
import {openPage} from '../pages/openPage.ts';
import {type PageSurroundings, scenarioWithPage} from './chosenPage.ts';
import {isLoopback, LISTEN_REASONS} from './gatewayServer.ts';
import {firstLine, outLine, tellLeftOut} from './output.ts';
import type {ServeCommand} from './serveOptions.ts';
import {UsageError} from './usageError.ts';

export interface ServeOptions extends PageSurroundings {
  readonly write: (text: string) => Promise<void>;
}

/**
 * Serves a page until it is ended.
 * @throws UsageError if it cannot listen there, PageError; the signal's reason.
 */
export async function servePage(command: ServeCommand, options: ServeOptions): Promise<never> {
  const {write, signal, fixtures} = options;
  const {host, token, page: name, isPrivateAllowed, trust} = command;
  const choice = {scenario: undefined, page: name ?? USUAL_PAGE, isPrivateAllowed, trust, overrides: []};
  const page = await openPage((await scenarioWithPage(choice, options)).page, fixtures);
  tellLeftOut(page);
  const server = await listening({page, host, port: command.port, token});
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
    await write(command.format === 'json' ? firstLine(told) : textOf(told));
    if (!signal.aborted) await once(signal, 'abort');
    throw signal.reason;
  } finally {
    await server.close();
  }
}

function hostText(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
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
    /** In PEM: what trusts it, trusts this server until it ends. */
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

async function listening(options: LiveServerOptions): Promise<LiveServer> {
  try {
    return await startServer(options);
  } catch (error) {
    const {code = '', message} = error as NodeJS.ErrnoException;
    if (code === '') throw error;
    const {host} = options;
    // the next ones are listened on, too
    const {port = options.port} = error as {port?: number};
    throw new UsageError(`cannot listen on ${host}, port ${port}: ${LISTEN_REASONS[code] ?? message}`);
  }
}

const USUAL_PAGE = 'gallery';
const WITH_TOKEN =
  'other machines reach this server: whoever has its token has the page, and only HTTP/3 and https are encrypted on the way';
const OPEN = 'other machines reach this server, and everybody has the page: --token asks for one';
