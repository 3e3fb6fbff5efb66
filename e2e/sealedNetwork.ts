import {type ChildProcess, execFileSync, type SpawnOptions, spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, mkdirSync, rmSync, writeFileSync} from 'node:fs';
import {networkInterfaces} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {nameNamespace} from '../main/live/path/namespaceName.ts';
import {freeSubnet} from '../main/live/path/subnet.ts';
import {Tunnel} from '../native/addon/index.js';

/**
 * A network namespace whose only way out is a tunnel to this program. The tunnel is the default route of the namespace,
 * and its far end is the namespace's DNS resolver. This program records the packets and answers none of them. Programs
 * in the namespace have their own loopback.
 */
export interface SealedNetwork {
  /**
   * The packets that have left the namespace, one line each, for example `UDP 198.18.0.1:53 asks for www.example.com`.
   */
  readonly packets: readonly string[];
  /**
   * The requests to the proxy at port 1 of the loopback, which it refused, for example `CONNECT www.example.com:443`.
   */
  readonly proxied: readonly string[];
  /** Starts a program in the namespace. */
  spawn(program: string, args: readonly string[], options: SpawnOptions): ChildProcess;
  close(): void;
}

/** Why this machine cannot have a sealed network; empty if it can. */
export const whyNotSealed = sealedRefusal();

export async function openSealedNetwork(): Promise<SealedNetwork> {
  const subnet = freeSubnet(networkInterfaces());
  if (subnet === undefined) throw new Error('no addresses of 198.18.0.0/15 are free');
  const {inside, outside} = subnet;
  const packets: string[] = [];
  const tunnel = new Tunnel(JSON.stringify({inside, outside, mtuBytes: 1500}), (direction, packet) => {
    if (direction === 'up') packets.push(describe(packet));
  });
  const name = `interleave-sealed-${process.pid}`;
  const unname = nameNamespace(name, tunnel.namespacePath);
  // ip-netns(8) mounts the files in this folder over those of the system
  const files = join('/etc/netns', name);
  mkdirSync(files, {recursive: true});
  writeFileSync(join(files, 'resolv.conf'), `nameserver ${outside}\n`);
  const ip = (...args: string[]) => execFileSync('ip', ['-n', name, ...args]);
  ip('link', 'set', 'lo', 'up');
  ip('route', 'add', 'default', 'via', outside);
  const run: SealedNetwork['spawn'] = (program, args, options) =>
    spawn('ip', ['netns', 'exec', name, program, ...args], options);
  const proxied: string[] = [];
  const proxy = run(process.execPath, ['-e', PROXY], {stdio: ['ignore', 'pipe', 'inherit']});
  const lines = createInterface({input: proxy.stdout ?? process.stdin});
  await once(lines, 'line');
  lines.on('line', line => proxied.push(line));
  return {
    packets,
    proxied,
    spawn: run,
    close: () => {
      proxy.kill('SIGKILL');
      rmSync(files, {recursive: true});
      unname();
      tunnel.close();
    },
  };
}

/** The source of a proxy that refuses all requests. It prints one line when it listens, and one for each request. */
const PROXY = `
  const refuse = ({method, url}) => console.log(method, url);
  require('node:http')
    .createServer((request, response) => { refuse(request); response.writeHead(502).end(); })
    .on('connect', (request, socket) => { refuse(request); socket.end('HTTP/1.1 502 Bad Gateway\\r\\n\\r\\n'); })
    .listen(1, '127.0.0.1', () => console.log('listens'));
`;

/** Describes an IPv4 packet (RFC 791) in one line: its destination, and the name in a DNS query (RFC 1035 §4.1). */
function describe(bytes: Uint8Array): string {
  const packet = Buffer.from(bytes);
  const protocol = packet[9] ?? 0;
  const to = [...packet.subarray(16, 20)].join('.');
  const known = {6: 'TCP', 17: 'UDP'}[protocol];
  if (known === undefined) return `protocol ${protocol} ${to}`;
  const transport = packet.subarray(4 * ((packet[0] ?? 0) & 15));
  const port = transport.readUInt16BE(2);
  const asked = protocol === 17 && (port === 53 || port === 5353) ? ` asks for ${nameIn(transport.subarray(20))}` : '';
  return `${known} ${to}:${port}${asked}`;
}

function nameIn(question: Buffer): string {
  const labels: string[] = [];
  for (let at = 0; (question[at] ?? 0) > 0; at += 1 + (question[at] ?? 0))
    labels.push(question.toString('latin1', at + 1, at + 1 + (question[at] ?? 0)));
  return labels.join('.');
}

function sealedRefusal(): string {
  if (process.platform !== 'linux') return ` (skipped: only Linux has network namespaces)`;
  if (process.getuid?.() !== 0) return ' (skipped: only root can make a network namespace)';
  if (!existsSync('/dev/net/tun')) return ' (skipped: there is no /dev/net/tun)';
  if (spawnSync('ip', ['-V']).error !== undefined) return ' (skipped: there is no ip, which iproute2 contains)';
  // in many containers, root is not allowed to make a network namespace
  const isAllowed = spawnSync('unshare', ['--net', '--mount', 'true']).status === 0;
  return isAllowed ? '' : ' (skipped: this system allows no network namespaces)';
}
