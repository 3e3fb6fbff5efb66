import {PORT_OFFSETS} from '../live/base/liveAddress.ts';
import {SCTP_HTTP_PORT, SCTP_UDP_PORT} from '../live/base/sctpInUdp.ts';
import {SERVER_LIMITS} from '../live/server/serverLimits.ts';

/** `privateChoice` is the line of `--allow-private`. */
export function serveHelp(privateChoice: string): string {
  const {peers, halfOpen, idleMs, requestMs, answerMs, waiting} = SERVER_LIMITS;
  return `interleave serve: a page on real sockets, by HTTP/1.1 over the kernel's TCP, over our own in UDP and
over the streams of SCTP, by HTTP/3, and by HTTP/2 with TLS

  --page PAGE              a page's name, or whatever --page of run takes; gallery by default
${privateChoice}  --listen ADDRESS:PORT    127.0.0.1:${SCTP_UDP_PORT} by default; an address or a port alone will do, and port 0 is one
                           that is free. Other machines reach it only where the address says so
  --token T                asked for in every request (Authorization: Bearer T): 16 characters at least, or @FILE, which
                           is its owner's alone; or INTERLEAVE_TOKEN, which no other user of the machine sees
  --json                   where it listens, in a line of JSON

TCP and UDP have ports of the same number. SCTP is in UDP (RFC 6951), to SCTP's port ${SCTP_HTTP_PORT}; a request that comes on a
stream is answered on it. It is the stack and the server of a computed load. At most ${peers} connections and ${peers}
associations, which end after ${idleMs / 1000} s without a request, ${requestMs / 1000} s inside of one, ${answerMs / 1000} s with an answer that is not taken, and
at ${waiting} requests that wait. Beyond them the oldest idle one goes, of the address that has most. Nothing is kept of a packet that begins no association. It ends with Ctrl+C.

HTTP/3 has UDP's port behind that, and TLS 1.3 with a certificate that is made anew at each start and signs itself: its
SHA-256 is printed, and a scenario's path.fingerprint is to name it. Peers are as many, and have the same time; with ${halfOpen}
whose handshake is not done, the next ones have to answer a Retry first. Responses share a connection as their requests
ask (RFC 9218). The server's congestion control is that of the profile modern; a pane's is of the client's end.

TCP's port of HTTP/3's number has HTTP/2 and HTTP/1.1 with TLS 1.3, by ALPN, with the same certificate, which --json
prints in PEM. It is there for other programs' clients: what the kernel's TCP has taken is sent in that order, whatever
becomes more urgent.

Behind that is the TCP of computed loads, in UDP, for a scenario whose path.tcp is udp: HTTP/1.1 by the profile that the
pane has, at both ends, with at most ${peers} connections of the same patience. No standard has TCP in UDP as it is here, and
nothing else speaks it.

  interleave serve --page gallery
  curl http://127.0.0.1:${SCTP_UDP_PORT}/
  curl --http2 --insecure https://127.0.0.1:${SCTP_UDP_PORT + PORT_OFFSETS.tls}/
  interleave serve --page ./my-page --listen 192.0.2.1 --token T --json
`;
}
