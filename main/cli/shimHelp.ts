import {SCTP_UDP_PORT} from '../live/base/sctpInUdp.ts';
import {SHIM_LIMITS} from '../live/shim/shimLimits.ts';
import {FRAMED} from '../live/shim/shimProtocol.ts';
import {NEAR_PORT} from './shimOptions.ts';

export function shimHelp(): string {
  const {
    connectMs,
    answerMs,
    silenceMs,
    idleMs,
    waiting,
    associations,
    tunnelPorts,
    plainUnreadBytes,
    plainUnreadInAllBytes,
  } = SHIM_LIMITS;
  return `interleave shim: programs that know only TCP, over the streams of SCTP (N07 §6)

The near end is where the program is, the far end where its servers are. The program asks the near end as a proxy, or as a
server; each request goes on a stream of its own of one association (SCTP in UDP) to the far end, which asks the server.

interleave shim --to HOST:PORT            the near end
  --to HOST:PORT           the far end, or interleave serve; port ${SCTP_UDP_PORT} by default
  --listen ADDRESS:PORT    127.0.0.1:${NEAR_PORT} by default; other machines reach it only where the address says so
  --token T                the far end's, or @FILE, which is its owner's alone; or INTERLEAVE_TOKEN, which no other user of
                           the machine sees

interleave shim --gateway                 the far end
  --origin http://HOST:PORT  the server that has what is asked for without a host; it may be on any address
  --token T                near ends have to know it: 16 characters at least; without one they have the origin alone
  --listen ADDRESS:PORT    127.0.0.1:${SCTP_UDP_PORT} (UDP) by default
  --allow-private          addresses that are not public (private, loopback, link-local) are passed on to, too

  --json                   where it listens, in a line of JSON

As a proxy it passes on http addresses, and for https makes tunnels (CONNECT) to port ${tunnelPorts.join(', ')}. Whoever reads a stream slowly
holds back that stream alone: at most ${FRAMED.windowBytes / 1024} KiB of it are under way. An answer that is cut ends its connection with an error,
and requests after an association has gone begin a new one. What the ends answer themselves says so: 502 where the other
end or the server is gone, 504 where it does not answer (${connectMs / 1000} s for a connection, ${answerMs / 1000} s for an answer), 503 where ${waiting} requests
wait for a stream, 403 where the far end may not. An association without a request ends after ${idleMs / 1000} s, and one whose other
end says nothing after ${silenceMs / 1000} s; a far end has at most ${associations}. With interleave serve in place of a far end the near end has that
server's page, and at most ${plainUnreadBytes / 1024 / 1024} MiB of an answer wait for a slow program,
and ${plainUnreadInAllBytes / 1024 / 1024} MiB of all of them; a far end's clients without a near end have these limits, too. Token and pages are not encrypted on their way.

  interleave shim --gateway --listen 192.0.2.1 --token T
  interleave shim --to 192.0.2.1 --token T
  curl -x http://127.0.0.1:${NEAR_PORT} http://example.org/
  chromium --proxy-server=http://127.0.0.1:${NEAR_PORT}
`;
}
