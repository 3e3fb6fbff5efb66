import {PORT_OFFSETS} from '../../../live/base/liveAddress.ts';
import {SCTP_UDP_PORT} from '../../../live/base/sctpInUdp.ts';
import {MOST_FIRST_PORT} from '../../../live/path/livePath.ts';
import {isNamespaceName} from '../../../live/path/namespaceName.ts';
import {command} from '../../command.ts';
import {untilInterrupted} from '../../interruption.ts';
import {isLoopback, listenAt} from '../../options/listen.ts';
import {liveTokenOf} from '../../options/live.ts';
import type {Values} from '../../options/option.ts';
import {formatOf} from '../../options/output.ts';
import {SCENARIO} from '../../options/scenario.ts';
import {UsageError} from '../../options/usageError.ts';
import {namespacePath} from './namespace.ts';
import {relayPath} from './relay.ts';
import {checkedSetting, type PathSettings} from './settings.ts';

/** The default of the first of a path's four ports. These ports differ from the default ports of `interleave serve`. */
export const PATH_PORT = SCTP_UDP_PORT + 10;

const OPTIONS = {
  listen: {
    type: 'string',
    value: 'ADDRESS:PORT',
    help:
      `Where the path listens. The default is 127.0.0.1:${PATH_PORT}. The address or the port may be left out, and ` +
      'port 0 means any four free ports. Other machines can reach the path only if the address is not a loopback ' +
      'address.',
  },
  to: {
    type: 'string',
    value: 'HOST:PORT',
    help: `The server to which packets are relayed. The default is 127.0.0.1:${SCTP_UDP_PORT}.`,
  },
  set: {
    type: 'string',
    multiple: true,
    value: 'path.KEY=VALUE',
    help:
      'Changes one setting of the path, as in interleave run: path.loss.down=0.03, path.rateBps=1000000, ' +
      'path.rttMs=350, path.queue={"kind": "codel"}, path.jitter=5, path.traffic=[…] for other traffic in the same ' +
      'queues, or path.mtuBytes, which is the only one that cannot change later. changes=[…] has timed changes of the ' +
      'path. seed=7 is the same as --seed 7.',
  },
  scenario: {...SCENARIO, help: 'Uses the path, its other traffic, its timed changes and the seed of this scenario.'},
  seed: {
    type: 'string',
    value: 'N',
    help:
      'The seed that decides which packets are lost: packet k of a direction is lost if a computed load with this ' +
      'seed loses its packet k.',
  },
  'same-losses': {
    type: 'boolean',
    help:
      'Begins the losses of the seed anew when a new client comes after a second without packets. Loads that run one ' +
      'after the other then all have the same losses.',
  },
  token: {
    type: 'string',
    value: 'T',
    help:
      'The token that is required to read or change the path (Authorization: Bearer T): at least 16 characters, or ' +
      '@FILE. INTERLEAVE_TOKEN may hold it instead. A token is required if other machines can reach the path. With ' +
      '--namespace and without a token, the program makes one and prints it.',
  },
  namespace: {
    type: 'string',
    value: 'NAME',
    help:
      'Makes a network namespace whose traffic takes the path. The TCP of the kernel then takes the path, too. This ' +
      'needs Linux and root.',
  },
  json: {
    type: 'boolean',
    help: 'Prints lines of JSON: what the path relays, each new client, each change, and at the end the counts.',
  },
} as const;

const NEAR = `127.0.0.1:${PATH_PORT}`;

export const path = command({
  name: 'path',
  group: 'Use real pages and real networks',
  summary: 'Emulate a path in real time, between a client and a server',
  usage: ['[options]', '--namespace NAME [options]'],
  options: OPTIONS,
  details: `
Clients connect to the path as if it were the server. Press Ctrl+C to end the path; it then prints how many packets
passed and how many were lost.

If P is the port of --listen, UDP port P relays HTTP over SCTP, P+1 relays HTTP/3 (QUIC), and P+2 relays our own TCP in
UDP, for scenarios with path.tcp=udp. Each port leads to the server's port with the same offset, and all of them share
one bottleneck. The path cannot relay the TCP of the kernel: load with path.tcp=udp, or use the option --namespace.

Packets have the same sizes as in a computed load: a packet of SCTP or TCP counts with its IP header and without the
header of the UDP packet that carries it. If the path loses only packets with data, every QUIC packet counts as
a packet with data, because QUIC is encrypted.

TCP port P+3 serves the control of the path over HTTP. GET /path returns the settings and counts. PATCH /path changes
settings, which are written as in a scenario. It may also set "seed", and the losses of that seed then begin. It may set
"traffic", which replaces the other traffic of the path. At most 1000 clients can use the path at the same time. A
client is forgotten after 120 s without packets.

Times of other traffic and of changes count from the first packet, as in a computed load. In traffic that PATCH sets,
they count from the change. Other traffic is computed on this machine: the path may have at most 500 Mbit/s then.
path.traffic cannot contain page loads. To let two page loads share the path, load both with real programs.

A hand-over ({"handover": true} in a change, or with PATCH) loses what is in the queues, what is on the way to the
client, and everything from and to the old address. With --namespace, the namespace gets another address, as when it
changes its network: connections of the kernel's TCP stay at the old address and break, and a QUIC client goes on when
it sends from the new address. Without a namespace the path cannot change the address of a client; the path sends from
another port to the server, like a NAT that has lost its mapping. Other traffic ends. A real client has its own time to
notice that a connection is dead, so noticeMs of a hand-over has no effect in a change, and PATCH refuses it.

With --namespace, the path makes a network namespace. All IPv4 packets between the namespace and this machine take the
path, so every program that runs in the namespace loads through the path. The addresses are the first free ones of
198.18.0.0/15, which is reserved for measurements (RFC 2544). The server must listen at the address that the path
prints; --listen is the port of the server (default ${SCTP_UDP_PORT}). There is no --to, because the namespace can reach only this
machine. Packets have the sizes of IP packets; UDP packets of the server's ports count as described above. When the path
ends, its devices and the name of the namespace are removed. Programs that still run in the namespace then no
longer reach this machine, and the namespace ends with the last of them. If the path is killed, the name stays until a
path with this name starts again.
`,
  examples: [
    {
      does: 'Load through a lossy path: run each of these three commands in its own terminal',
      line: `interleave serve --page gallery
interleave path --set path.loss=0.03 --set path.rttMs=100
interleave run --set 'path={"live": "${NEAR}"}' \\
  --set 'panes=[{"pipeline": "sctp"}]'`,
    },
    {
      does: 'Compare TCP and SCTP on that path',
      line: `interleave run --set 'path={"live": "${NEAR}", "tcp": "udp"}' \\
  --set 'panes=[{"pipeline": "tcp"}, {"pipeline": "sctp"}]'`,
    },
    {
      does: 'Change the path while it is running',
      line: `curl -X PATCH -H 'Content-Type: application/json' \\
  -d '{"loss": 0.1, "seed": 1}' http://127.0.0.1:${PATH_PORT + PORT_OFFSETS.control}/path`,
    },
    {
      does: 'Put an upload beside the loads, and move the clients to another path after 5 s',
      line: `interleave path --set 'path.traffic=[{"kind": "tcp", "direction": "up"}]' \\
  --set 'changes=[{"atMs": 5000, "path": {"handover": true, "rttMs": 60}}]'`,
    },
    {
      does: 'Load over the TCP of the kernel, in a namespace: run each command in its own terminal',
      line: `interleave path --namespace lossy --set path.loss=0.03
interleave serve --page gallery --listen 198.18.0.1
ip netns exec lossy interleave run --set 'path={"live": "198.18.0.1:${SCTP_UDP_PORT}"}'`,
    },
  ],
  read({values}): PathSettings {
    const {scenario, set = [], seed, namespace, to = `127.0.0.1:${SCTP_UDP_PORT}`} = values;
    if (namespace !== undefined) checkNamespace(namespace, values);
    const {host, port} = listenAt(values.listen, namespace === undefined ? PATH_PORT : SCTP_UDP_PORT);
    if (port > MOST_FIRST_PORT)
      throw new UsageError(`--listen is ${values.listen}: its port must be at most ${MOST_FIRST_PORT}`);
    const token = liveTokenOf(values);
    if (token === undefined && !isLoopback(host))
      throw new UsageError(
        '--token is missing: without it, other machines could change the path (INTERLEAVE_TOKEN may hold it)',
      );
    return {
      scenario,
      namespace,
      host,
      port,
      to: checkedTo(to),
      token,
      isSameLosses: values['same-losses'] ?? false,
      overrides: [...set.map(checkedSetting), ...(seed === undefined ? [] : [`seed=${seed}`])],
      format: formatOf(values),
    };
  },
  run: (settings, {write}) =>
    untilInterrupted(
      signal => (settings.namespace === undefined ? relayPath : namespacePath)(settings, {write, signal}),
      'the path has ended',
    ),
});

/** @throws UsageError */
function checkNamespace(name: string, {listen, to, 'same-losses': isSameLosses}: Values<typeof OPTIONS>): void {
  if (!isNamespaceName(name))
    throw new UsageError(
      `--namespace is ${name.slice(0, 100) || 'empty'}: must be 1 to 64 of A–Z, a–z, 0–9, _, . and -, and must not ` +
        'begin with . or -',
    );
  if (isSameLosses)
    throw new UsageError(
      '--same-losses and --namespace exclude each other: the path of a namespace cannot detect new clients',
    );
  if (to !== undefined)
    throw new UsageError(
      '--to and --namespace exclude each other: the server must listen at the address that the path prints',
    );
  if (listen !== undefined && !/^[1-9]\d*$/.test(listen))
    throw new UsageError(
      `--listen is ${listen.slice(0, 100) || 'empty'}: with --namespace it must be the server’s port, like ` +
        `${SCTP_UDP_PORT}`,
    );
}

/** @throws UsageError */
function checkedTo(to: string): string {
  const [, port] = /^(?:[\w.-]{1,253}|\[[\da-fA-F:.]{2,45}\]):(\d{1,5})$/.exec(to) ?? [];
  if (Number(port) >= 1 && Number(port) <= MOST_FIRST_PORT) return to;
  throw new UsageError(
    `--to is ${to.slice(0, 300) || 'empty'}: must be like 127.0.0.1:${SCTP_UDP_PORT}, with a port of 1 to ` +
      `${MOST_FIRST_PORT}`,
  );
}
