import {spawn} from 'node:child_process';
import {createSocket} from 'node:dgram';
import {once} from 'node:events';
import {existsSync, lstatSync, readlinkSync, symlinkSync} from 'node:fs';
import {createServer, type Socket} from 'node:net';
import {networkInterfaces} from 'node:os';
import {text} from 'node:stream/consumers';
import {afterEach, describe, expect, test} from 'vitest';
import {DEFAULT_PATH, type PathSettings} from '../../../app/run/scenario/path.ts';
import {openPage} from '../../pages/openPage.ts';
import {kernelInfo} from '../client/kernelSamples.ts';
import {startServer} from '../server/liveServer.ts';
import {type NamespacePath, startNamespacePath} from './namespacePath.ts';

const canMake = process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/dev/net/tun');
const NAME = `interleave-test-${process.pid}`;
const LINK = `/run/netns/${NAME}`;
const page = await openPage({kind: 'named', name: 'gallery'}, 'fixtures/pages');
/** Functions that close what a test has opened. */
const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A path with 20 Mbit/s, an RTT of 4 ms and this loss rate. */
function losing(rate: number): PathSettings {
  const loss = {model: 'bernoulli', rate, applies: 'all'} as const;
  return {...DEFAULT_PATH, rateBps: {down: 20e6, up: 20e6}, rttMs: {down: 4, up: 4}, loss: {down: loss, up: loss}};
}

/** Starts a path, and a server that programs in the namespace can reach. */
async function started(settings: PathSettings): Promise<NamespacePath & {readonly port: number}> {
  const port = 20_000 + (process.pid % 20_000);
  const path = await startNamespacePath({settings, seed: 1, name: NAME, port, token: undefined});
  let isEnded = false;
  const close = async (): Promise<void> => {
    if (!isEnded) await path.close();
    isEnded = true;
  };
  ends.push(close);
  const server = await startServer({page, host: path.outside, port, token: undefined});
  ends.push(() => server.close());
  // `inside` changes, so it is not copied
  return Object.assign(Object.create(path) as NamespacePath, {close, port});
}

/** Runs a program in the namespace. Returns what it prints. */
async function inside(command: string, ...args: string[]): Promise<string> {
  const child = spawn('ip', ['netns', 'exec', NAME, command, ...args]);
  ends.push(() => child.kill('SIGKILL'));
  const [out, error] = await Promise.all([text(child.stdout.setEncoding('latin1')), text(child.stderr)]);
  return out + error;
}

/** A program that fetches each URL on its own connection, and prints the bodies. */
const GET_ALL = `
  const {connect} = require('node:net');
  const [host, port, ...urls] = process.argv.slice(1);
  const get = url => new Promise(resolve => {
    const pieces = [];
    const socket = connect({host, port: Number(port)});
    socket.end('GET ' + url + ' HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n');
    socket.on('data', piece => pieces.push(piece)).on('end', () => resolve(Buffer.concat(pieces)));
  });
  Promise.all(urls.map(get)).then(all => {
    const bodies = all.map(bytes => bytes.subarray(bytes.indexOf('\\r\\n\\r\\n') + 4).toString('base64'));
    process.stdout.write(JSON.stringify(bodies));
  });
`;

/** A program that sends a number of bytes on a connection, and waits until the peer has them all. */
const WRITE_ALL = `
  const {connect} = require('node:net');
  const [host, port, bytes] = process.argv.slice(1);
  const socket = connect({host, port: Number(port)});
  socket.end(Buffer.alloc(Number(bytes))).on('data', () => undefined);
`;

/** A program that sends datagrams all the time, and opens a connection. */
const SEND_ALWAYS = `
  const [host, udpPort, tcpPort] = process.argv.slice(1);
  const udp = require('node:dgram').createSocket('udp4').on('error', () => undefined);
  setInterval(() => udp.send('x', Number(udpPort), host, () => undefined), 20);
  require('node:net').connect(Number(tcpPort), host).on('error', () => undefined);
`;

describe.runIf(canMake)('the path of a namespace', () => {
  test('loses packets of the kernel’s TCP at a loss rate of 3 %, and the page still arrives completely', async () => {
    const {outside, port, state, close} = await started(losing(0.03));
    const urls = page.objects.map(({url}) => url);
    const bodies = JSON.parse(await inside(process.execPath, '-e', GET_ALL, outside, `${port}`, ...urls)) as string[];
    expect(bodies).toEqual(page.objects.map(({body}) => Buffer.from(body ?? []).toString('base64')));
    const {down, up} = state().counts;
    expect(down.passed).toBeGreaterThan(50);
    expect(down.lost + up.lost).toBeGreaterThan(0);
    expect((down.lost + up.lost) / (down.passed + up.passed)).toBeLessThan(0.1);
    expect([state().refused, down.tooLarge, up.tooLarge]).toEqual([0, 0, 0]);
    await close();
    expect(existsSync(LINK)).toBe(false);
    const addresses = Object.values(networkInterfaces()).flatMap(list => list ?? []);
    expect(addresses.map(({address}) => address)).not.toContain(outside);
  });

  test('passes no packet with a loss rate of 1, until the rate is changed', async () => {
    const {outside, port, state} = await started(losing(1));
    const sent = `require('node:dgram').createSocket('udp4').send('x', ${port + 9}, '${outside}', () => process.exit())`;
    await inside(process.execPath, '-e', sent);
    while (state().counts.up.lost === 0) await new Promise(setImmediate);
    expect([state().counts.up.passed, state().counts.down.passed]).toEqual([0, 0]);
    const changed = await fetch(`http://${outside}:${port + 3}/path`, {
      method: 'PATCH',
      headers: {'content-type': 'application/json'},
      body: '{"loss": 0}',
    });
    expect(await changed.json()).toMatchObject({path: {loss: 0}, counts: {up: {passed: 0}}});
    await inside(process.execPath, '-e', sent);
    while (state().counts.up.passed === 0) await new Promise(setImmediate);
  });

  test('has the RTT of its settings, as a kernel measures it', async () => {
    const slow = {...losing(0), rttMs: {down: 60, up: 60}};
    const {outside} = await started(slow);
    const server = createServer().listen(0, outside);
    ends.push(() => server.close());
    await once(server, 'listening');
    const {port} = server.address() as {port: number};
    const opened = inside(process.execPath, '-e', `require('node:net').connect(${port}, '${outside}')`);
    const [socket] = (await once(server, 'connection')) as [Socket];
    const info = kernelInfo(socket);
    socket.destroy();
    await opened;
    // The kernel has measured the RTT during the handshake.
    expect(info?.srttNs).toBeGreaterThanOrEqual(60e6);
    // The initial window has ten segments (RFC 6928), with or without timestamps.
    expect(info?.cwndBytes).toBeOneOf([10 * 1448, 10 * 1460]);
  });

  test('shares its queue between the kernel’s TCP and other traffic', {tags: ['long']}, async () => {
    const upload = {kind: 'tcp', congestion: 'cubic', flows: 1, direction: 'up', startMs: 0, endMs: null} as const;
    const queue = {up: {kind: 'fq_codel'}} as const;
    const slow = {...losing(0), rateBps: {down: 4e6, up: 4e6}, rttMs: {down: 40, up: 40}, queue, traffic: [upload]};
    const {outside, state} = await started(slow);
    const server = createServer(socket => void socket.resume().on('error', () => undefined)).listen(0, outside);
    ends.push(() => server.close());
    await once(server, 'listening');
    const {port} = server.address() as {port: number};
    await inside(process.execPath, '-e', WRITE_ALL, outside, `${port}`, '2000000');
    const {counts, traffic} = state();
    const [own, others] = [counts.up.passed * 1500, traffic[0]?.passedBytes ?? 0];
    expect(own).toBeGreaterThan(2e6);
    // the queue gives each flow half of the rate
    expect(own / (own + others)).toBeGreaterThan(0.4);
    expect(own / (own + others)).toBeLessThan(0.6);
  });

  test('gives the namespace another address in a hand-over, and loses packets from and to the old one', async () => {
    const path = await started(losing(0));
    const {outside, port} = path;
    const senders = new Set<string>();
    const udp = createSocket('udp4').on('message', (_, from) => senders.add(from.address));
    udp.bind(0, outside);
    ends.push(() => udp.close());
    const sockets: Socket[] = [];
    const tcp = createServer(socket => sockets.push(socket.on('error', () => undefined))).listen(0, outside);
    ends.push(() => [tcp.close(), ...sockets.map(socket => socket.destroy())]);
    await Promise.all([once(udp, 'listening'), once(tcp, 'listening')]);
    const [udpPort, tcpPort] = [udp.address().port, (tcp.address() as {port: number}).port];
    void inside(process.execPath, '-e', SEND_ALWAYS, outside, `${udpPort}`, `${tcpPort}`);
    await expect.poll(() => [senders.size, sockets.length]).toEqual([1, 1]);
    const first = path.inside;
    const changed = await fetch(`http://${outside}:${port + 3}/path`, {
      method: 'PATCH',
      headers: {'content-type': 'application/json'},
      body: '{"handover": true}',
    });
    expect(await changed.json()).toMatchObject({handOvers: 1});
    // the UDP socket of the namespace has no address of its own, so its datagrams have the new one
    await expect.poll(() => [...senders]).toEqual([first, path.inside]);
    expect(path.inside).not.toBe(first);
    // the connection stays at the old address, so what the server sends on it is lost
    sockets[0]?.write('late');
    await expect.poll(() => path.state().counts.down.handedOver).toBeGreaterThan(0);
    const again = `require('node:net').connect(${tcpPort}, '${outside}', () => process.exit())`;
    await inside(process.execPath, '-e', again);
    expect(sockets[1]?.remoteAddress).toBe(path.inside);
    expect(sockets[0]?.bytesRead).toBe(0);
  });

  test('refuses a name that is in use, and replaces a name that a killed process left', async () => {
    const first = await started(losing(0));
    const again = {settings: losing(0), seed: 1, name: NAME, port: first.port, token: undefined};
    await expect(startNamespacePath(again)).rejects.toThrow(`a namespace named ${NAME} exists already`);
    expect(readlinkSync(readlinkSync(LINK))).toMatch(/^net:/);
    await first.close();
    symlinkSync(`/proc/${2 ** 22 + 1}/fd/20`, LINK);
    const second = await startNamespacePath(again);
    ends.push(() => second.close());
    expect(await inside('cat', '/sys/class/net/lo/operstate')).not.toContain('down');
    expect(lstatSync(LINK).isSymbolicLink()).toBe(true);
  });

  test('does not start if its port is in use, and leaves nothing behind', async () => {
    const before = networkInterfaces();
    const blocked = createServer().listen(0, '0.0.0.0');
    await once(blocked, 'listening');
    ends.push(() => blocked.close());
    const {port} = blocked.address() as {port: number};
    const options = {settings: losing(0), seed: 1, name: NAME, port: port - 3, token: undefined};
    await expect(startNamespacePath(options)).rejects.toThrow('EADDRINUSE');
    expect(existsSync(LINK)).toBe(false);
    expect(Object.keys(networkInterfaces())).toEqual(Object.keys(before));
  });
});
