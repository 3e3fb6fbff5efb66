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
  /** An address of this machine. */
  readonly host: string;
  /** The first port, of TCP and UDP. The ports of other services follow it. 0 chooses a free one. */
  readonly port: number;
  /** The token that requests must have (RFC 6750 §2.1). Undefined if none is required. */
  readonly token: string | undefined;
  readonly limits?: ServerLimits;
  /** Interval between checks for peers that take too long. 1000 by default. */
  readonly sweepMs?: number;
}

export interface LiveServer {
  readonly port: number;
  /** QUIC's UDP port, and the SHA-256 of the certificate that was made for this server. */
  readonly quic: {readonly port: number; readonly fingerprint: string};
  /** HTTP/2 and HTTP/1.1 over TLS: the TCP port, and QUIC's certificate in PEM. */
  readonly tls: {readonly port: number; readonly certificate: string};
  /** UDP port of our TCP in UDP. */
  readonly tcpInUdpPort: number;
  /**
   * How many connections and associations there are now. `halfOpen` counts those of TCP in UDP whose handshake is not
   * done.
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
 * Serves a page until it is closed. HTTP/1.1 is on the kernel's TCP and on SCTP in UDP, both at the first port. HTTP/3
 * is on UDP's next port, and HTTP/2 with TLS is on TCP's next port. Our TCP in UDP is at the port after these ({@link
 * PORT_OFFSETS}).
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

/** Listens at the port that was asked for. If that is 0, tries again until all services have found free ports. */
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
