import {pageResponses} from '../../../app/http/response.ts';
import type {Page, PageSnapshot} from '../../../app/page/page.ts';
import {startClock} from '../../net/clock.ts';
import {TokenGate} from '../../net/token.ts';
import {PORT_OFFSETS} from '../base/liveAddress.ts';
import {respondAbout} from '../base/servedPage.ts';
import {HeadBudget} from './headBudget.ts';
import type {Served} from './httpEnd.ts';
import {QuicServer} from './quicServer.ts';
import {SctpPeer} from './sctpPeer.ts';
import {SctpServer} from './sctpServer.ts';
import {SERVER_LIMITS, type ServerLimits} from './serverLimits.ts';
import {TcpInUdpServer} from './tcpInUdpServer.ts';
import {TcpServer} from './tcpServer.ts';

export interface LiveServerOptions {
  readonly page: PageSnapshot;
  /** The address of this machine to listen on. */
  readonly host: string;
  /** The first port, of TCP and of UDP. The other ports follow it ({@link PORT_OFFSETS}). 0 chooses free ports. */
  readonly port: number;
  /** The token that requests must contain (RFC 6750 §2.1). Undefined if none is required. */
  readonly token: string | undefined;
  readonly limits?: ServerLimits;
  /** Milliseconds between checks for peers that take too long. 1000 by default. */
  readonly sweepMs?: number;
}

export interface LiveServer {
  readonly port: number;
  /** The UDP port of QUIC, and the SHA-256 of the server's certificate. Each server creates its own certificate. */
  readonly quic: {readonly port: number; readonly fingerprint: string};
  /** The TCP port of HTTP/2 and HTTP/1.1 over TLS. The certificate, in PEM, is the same as QUIC's. */
  readonly tls: {readonly port: number; readonly certificate: string};
  /** The UDP port of the program's own TCP, which is carried in UDP. */
  readonly tcpInUdpPort: number;
  /**
   * How many connections and associations exist now. `quic` and `tls` include connections whose handshake is not
   * complete. `tcpInUdp` counts only connections whose handshake is complete, and `halfOpen` counts the others of TCP
   * in UDP.
   */
  peers(): {
    readonly tcp: number;
    readonly sctp: number;
    readonly quic: number;
    readonly tls: number;
    readonly tcpInUdp: number;
    readonly halfOpen: number;
  };
  /** Ends all connections and stops listening. */
  close(): Promise<void>;
}

/**
 * Serves a page until {@link LiveServer.close} is called. The first port serves HTTP/1.1, over the kernel's TCP and
 * over SCTP in UDP. The second port serves HTTP/3 over UDP, and HTTP/2 and HTTP/1.1 over TCP with TLS. The third port
 * serves HTTP/1.1 over the program's own TCP in UDP ({@link PORT_OFFSETS}).
 * @throws what Node throws if it cannot listen
 */
export async function startServer(options: LiveServerOptions): Promise<LiveServer> {
  const {page, host, token, limits = SERVER_LIMITS, sweepMs = SWEEP_MS} = options;
  const refuse = token === undefined ? () => undefined : refuserOf(token, page);
  const served: Served = {
    respond: respondAbout(page, pageResponses(page)),
    refuse,
    limits,
    heads: new HeadBudget(limits),
    clock: startClock(),
  };
  const {tcp, sctp, quic, tls, tcpInUdp, port} = await listen(served, host, options.port);
  const servers = [tcp, sctp, quic, tls, tcpInUdp];
  const sweeping = setInterval(() => {
    for (const server of servers) server.sweep();
  }, sweepMs);
  return {
    port,
    quic: {port: port + PORT_OFFSETS.quic, fingerprint: quic.fingerprint},
    tls: {port: port + PORT_OFFSETS.tls, certificate: quic.identity.certificate},
    tcpInUdpPort: port + PORT_OFFSETS.tcpInUdp,
    peers: () => ({
      tcp: tcp.peers,
      sctp: sctp.peers,
      quic: quic.peers,
      tls: tls.peers,
      tcpInUdp: tcpInUdp.peers,
      halfOpen: tcpInUdp.halfOpen,
    }),
    close: async () => {
      clearInterval(sweeping);
      await Promise.all(servers.map(server => server.close()));
    },
  };
}

/**
 * Listens on the requested port. If that port is 0, tries up to {@link MOST_TRIES} times to find free ports for all
 * services.
 */
async function listen(served: Served, host: string, asked: number) {
  for (let tries = asked === 0 ? MOST_TRIES : 1; ; tries--) {
    const tcp = new TcpServer(served);
    const port = await tcp.listen(host, asked);
    const sctp = new SctpServer(served, host, (association, options) => {
      return new SctpPeer(association, served, options);
    });
    const [quic, tcpInUdp] = [new QuicServer(served, host), new TcpInUdpServer(served, host)];
    const tls = new TcpServer(served, quic.identity);
    try {
      await sctp.listen(port);
      await quic.listen(port + PORT_OFFSETS.quic);
      await tls.listen(host, port + PORT_OFFSETS.tls);
      await tcpInUdp.listen(port + PORT_OFFSETS.tcpInUdp);
      return {tcp, sctp, quic, tls, tcpInUdp, port};
    } catch (error) {
      // a UDP socket has to be closed even if it could not be bound
      await Promise.all([tcp, sctp, quic, tls, tcpInUdp].map(server => server.close()));
      if (tries <= 1) throw error;
    }
  }
}

function refuserOf(token: string, {headerBytes}: Page): Served['refuse'] {
  const gate = new TokenGate(token);
  const statusText = 'Forbidden';
  const refusal = {
    object: null,
    status: 403,
    statusText,
    contentType: 'text/plain',
    body: NOTHING,
    headerBytes,
  };
  return ({fields}, address) => (gate.isRight(fields.get('authorization'), address) ? undefined : refusal);
}

const NOTHING = new Uint8Array(0);
const MOST_TRIES = 10;
const SWEEP_MS = 1000;
