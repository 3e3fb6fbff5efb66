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

/** The next free port after those of a server on the same machine. */
export const PATH_PORT = SCTP_UDP_PORT + 10;

const OPTIONS = {
  listen: {
    type: 'string',
    value: 'ADDRESS:PORT',
    help:
      `Where it listens; 127.0.0.1:${PATH_PORT} without it. An address or a port alone will do, and port 0 is the first ` +
      'of four free ones. Other machines reach it only if the address is not a loopback address.',
  },
  to: {type: 'string', value: 'HOST:PORT', help: `The server; 127.0.0.1:${SCTP_UDP_PORT} without it.`},
  set: {
    type: 'string',
    multiple: true,
    value: 'path.KEY=VALUE',
    help:
      'Changes one setting of the path, as in interleave run: path.loss.down=0.03, path.rateBps=1000000, path.rttMs=350, ' +
      'path.queuePackets, and path.mtuBytes, which cannot change later. seed=7 is the same as --seed 7.',
  },
  scenario: {...SCENARIO, help: 'A scenario whose path and seed are used, without its changes.'},
  seed: {
    type: 'string',
    value: 'N',
    help: 'The seed that decides which packets are lost: packet k of a direction is lost if a computed load loses packet k.',
  },
  'same-losses': {
    type: 'boolean',
    help:
      'A client that comes after a second of silence meets the losses from the start of the seed. Loads one after the ' +
      'other then all meet the same losses.',
  },
  token: {
    type: 'string',
    value: 'T',
    help:
      'The token that is required to change the path (Authorization: Bearer T): at least 16 characters, or @FILE. ' +
      'INTERLEAVE_TOKEN may hold it instead. It is necessary if other machines can reach the path. Around a namespace ' +
      'one is made and printed if none is given.',
  },
  namespace: {
    type: 'string',
    value: 'NAME',
    help: 'Puts the path around a network namespace, so that the TCP of the kernel passes too. Only on Linux, as root.',
  },
  json: {
    type: 'boolean',
    help: 'Prints lines of JSON: what it relays, each client that comes, and each change.',
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
Clients use the path as if it were the server. It ends with Ctrl+C, and then prints what became of all packets.

If P is the port of --listen, UDP port P carries HTTP over SCTP, P+1 carries HTTP/3 (QUIC), and P+2 carries our own TCP
in UDP. Each leads to the server's port with the same offset, and all share one bottleneck. The TCP of the kernel has no
port here: use path.tcp=udp, or --namespace.

Sizes are those of a computed load: a packet of SCTP or TCP counts with the header of IP and without that of UDP, which
only carries it. QUIC is encrypted, so a path that loses only packets with data takes every packet of QUIC for one.

At TCP port P+3 the path is read and changed by HTTP. GET /path returns settings and counts. PATCH /path takes a change,
written as in a scenario, and may set a seed, from which the losses then begin anew. At most 1000 clients can use the
path at once; a client is forgotten after 120 s of silence.

With --namespace the path makes a network namespace. All IPv4 between that namespace and this machine takes the path, so
every program that runs there loads through it. The addresses are the first free ones of 198.18.0.0/15, which are
reserved for measurements (RFC 2544). The server has to listen at the address that is printed; --listen is its port,
${SCTP_UDP_PORT} without it. There is no --to, because the namespace reaches nothing else. Sizes are those of IP packets, in UDP
at the server's ports as above. The namespace and its devices are removed when the path ends, however it ends.
`,
  examples: [
    {
      does: 'Load through a lossy path: run each of these three in its own terminal',
      line: `interleave serve --page gallery
interleave path --set path.loss=0.03 --set path.rttMs=100
interleave run --set 'path={"live": "${NEAR}"}' \\
  --set 'panes=[{"pipeline": "sctp"}]'`,
    },
    {
      does: 'Compare TCP and SCTP there',
      line: `interleave run --set 'path={"live": "${NEAR}", "tcp": "udp"}' \\
  --set 'panes=[{"pipeline": "tcp"}, {"pipeline": "sctp"}]'`,
    },
    {
      does: 'Change the path while it runs',
      line: `curl -X PATCH -H 'Content-Type: application/json' \\
  -d '{"loss": 0.1, "seed": 1}' http://127.0.0.1:${PATH_PORT + PORT_OFFSETS.control}/path`,
    },
    {
      does: 'Load by the TCP of the kernel, in a namespace: again three terminals',
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
      throw new UsageError('--token is missing: other machines could change the path (INTERLEAVE_TOKEN may hold it)');
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
      'the path ends',
    ),
});

/** @throws UsageError */
function checkNamespace(name: string, {listen, to, 'same-losses': isSameLosses}: Values<typeof OPTIONS>): void {
  if (!isNamespaceName(name))
    throw new UsageError(
      `--namespace is ${name.slice(0, 100)}: must be 1 to 64 of A–Z, a–z, 0–9, _, . and -, and must not begin with . or -`,
    );
  if (isSameLosses)
    throw new UsageError('--same-losses: not around a namespace, which does not know when a client begins');
  if (to !== undefined)
    throw new UsageError(
      '--to: around a namespace there is none; the server listens at the address that the path prints',
    );
  if (listen !== undefined && !/^[1-9]\d*$/.test(listen))
    throw new UsageError(
      `--listen is ${listen.slice(0, 100)}: around a namespace it is the server’s port, as ${SCTP_UDP_PORT}`,
    );
}

/** @throws UsageError */
function checkedTo(to: string): string {
  const [, port] = /^(?:[\w.-]{1,253}|\[[\da-fA-F:.]{2,45}\]):(\d{1,5})$/.exec(to) ?? [];
  if (Number(port) >= 1 && Number(port) <= MOST_FIRST_PORT) return to;
  throw new UsageError(
    `--to is ${to.slice(0, 300)}: must be like 127.0.0.1:${SCTP_UDP_PORT}, with a port of 1 to ${MOST_FIRST_PORT}`,
  );
}
