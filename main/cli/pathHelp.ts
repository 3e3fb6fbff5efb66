import {PORT_OFFSETS} from '../live/base/liveAddress.ts';
import {SCTP_UDP_PORT} from '../live/base/sctpInUdp.ts';
import {PATH_PORT} from './pathOptions.ts';

export function pathHelp(): string {
  return `interleave path: the emulated path in real time, between a live client and a live server, for all that is in UDP

  --listen ADDRESS:PORT    127.0.0.1:${PATH_PORT} by default; an address or a port alone will do, and port 0 is the first of
                           four that are free. Other machines reach it only where the address says so
  --to HOST:PORT           the server, 127.0.0.1:${SCTP_UDP_PORT} by default
  --set path.KEY=VALUE     as of run: path.loss.down=0.03, path.rateBps=1000000, path.rttMs=350, path.queuePackets, and
                           path.mtuBytes, which cannot be changed later; seed=7 is --seed 7
  --scenario FILE|PRESET   a scenario whose path and seed it has, without changes
  --seed N                 whose fates its packets draw: packet k of a direction is lost where a computed load loses it
  --same-losses            draws begin anew from the seed with a client that comes after a second of silence: of loads one
                           after the other each meets the same losses
  --token T                what whoever changes the path has to bring (Authorization: Bearer T): 16 characters at least, or
                           @FILE; or INTERLEAVE_TOKEN. It takes one to listen to other machines; around a namespace one is
                           made and told where none is given
  --namespace NAME         Linux, as root: around a network namespace, for the kernel's TCP too (below)
  --json                   what it relays, each client that comes and each change, in lines of JSON

A client is given it as if it were the server. Of port P, P is HTTP over SCTP, P+1 HTTP/3 (QUIC) and P+2 our own TCP in
UDP; each goes to the server's port of the same place, and all of them share one bottleneck. The kernel's TCP has no
port here. Sizes are those of a computed load: a packet of SCTP or TCP counts with IP's header and without UDP's, which
only carries it. Loss of data packets alone takes any packet of QUIC for one: it is encrypted.

At P+3 it is asked and changed by HTTP: GET /path tells settings and counts, PATCH /path takes a change as a scenario
has it, and a seed, from which the draws then begin anew. At most 1000 clients, which are forgotten after 120 s of
silence. It ends with Ctrl+C.

With --namespace it makes a network namespace, from which this machine is reached through the path alone, by all that is
IPv4: whatever runs there loads through it. The addresses are the first of 198.18.0.0/15 (for measurements, RFC 2544)
that are free; the server has to listen at the one that is printed, and --listen is its port, ${SCTP_UDP_PORT} by default.
There is no --to: the namespace reaches nothing else. Sizes are those of IP packets, in UDP at the server's ports as
above. Namespace and devices go when it ends, however it does.

  interleave serve --page gallery
  interleave path --set path.loss=0.03 --set path.rttMs=100
  interleave run --set 'path={"live": "127.0.0.1:${PATH_PORT}"}' --set 'panes=[{"pipeline": "sctp"}]'
  interleave run --set 'path={"live": "127.0.0.1:${PATH_PORT}", "tcp": "udp"}' \\
    --set 'panes=[{"pipeline": "tcp"}, {"pipeline": "sctp"}]'
  curl -X PATCH -H 'Content-Type: application/json' -d '{"loss": 0.1, "seed": 1}' http://127.0.0.1:${PATH_PORT + PORT_OFFSETS.control}/path

  interleave path --namespace lossy --set path.loss=0.03
  interleave serve --page gallery --listen 198.18.0.1
  ip netns exec lossy interleave run --set 'path={"live": "198.18.0.1:${SCTP_UDP_PORT}"}'
`;
}
