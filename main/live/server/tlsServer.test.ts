import {execFile, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {type ClientHttp2Session, connect as connectH2, type IncomingHttpHeaders} from 'node:http2';
import {get as httpsGet} from 'node:https';
import {connect as connectTcp} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {Duplex} from 'node:stream';
import {buffer} from 'node:stream/consumers';
import {setTimeout as wait} from 'node:timers/promises';
import {connect as connectTls, type TLSSocket} from 'node:tls';
import {afterEach, expect, test} from 'vitest';
import {openPage} from '../../pages/openPage.ts';
import {type LiveServer, startServer} from './liveServer.ts';
import {SERVER_LIMITS, type ServerLimits} from './serverLimits.ts';

// These tests load over HTTP/2 with TLS, with Node's own client (nghttp2) and with curl.

const page = await openPage({kind: 'named', name: 'gallery'}, 'fixtures/pages');
let server: LiveServer | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function serve(limits: Partial<ServerLimits> = {}, token?: string): Promise<LiveServer> {
  server = await startServer({
    page,
    host: '127.0.0.1',
    port: 0,
    token,
    sweepMs: 20,
    limits: {...SERVER_LIMITS, ...limits},
  });
  return server;
}

function opened({tls}: LiveServer): ClientHttp2Session {
  return connectH2(`https://127.0.0.1:${tls.port}`, {ca: tls.certificate}).on('error', () => undefined);
}

async function asked(session: ClientHttp2Session, headers: {readonly [name: string]: string}) {
  const stream = session.request(headers);
  const answered = new Promise<IncomingHttpHeaders>(resolve => {
    stream.on('response', resolve);
    stream.on('close', () => resolve({}));
  });
  const body = await buffer(stream);
  return {headers: await answered, body};
}

async function secured({tls}: LiveServer): Promise<TLSSocket> {
  const options = {port: tls.port, host: '127.0.0.1', ca: tls.certificate, ALPNProtocols: ['h2']};
  const socket = connectTls(options).on('error', () => undefined);
  await new Promise(resolve => socket.once('secureConnect', resolve));
  return socket;
}

test('every object of a page arrives complete over one connection of HTTP/2 with TLS', async () => {
  const one = await serve();
  const session = opened(one);
  const answers = await Promise.all(page.objects.map(({url}) => asked(session, {':path': url})));
  for (const [number, {headers, body}] of answers.entries()) {
    const {body: expected, contentType} = page.objects[number] ?? {};
    expect(headers).toMatchObject({':status': 200, 'content-type': contentType});
    expect(body.equals(expected ?? new Uint8Array())).toBe(true);
  }
  expect(session.alpnProtocol).toBe('h2');
  expect(one.peers()).toMatchObject({tls: 1, tcp: 0});
  session.close();
  while (one.peers().tls > 0) await wait(1);
});

test('HEAD gets the length without the body, and a token is required', async () => {
  const session = opened(await serve({}, 'T'));
  const authorization = 'Bearer T';
  const {headers, body} = await asked(session, {':method': 'HEAD', ':path': '/', authorization});
  expect(headers).toMatchObject({':status': 200, 'content-length': `${page.objects[0]?.body?.length}`});
  expect(body).toHaveLength(0);
  expect((await asked(session, {':path': '/'})).headers).toMatchObject({':status': 403});
  session.close();
});

test('a client without HTTP/2 gets HTTP/1.1, with the same certificate as QUIC', async () => {
  const {tls, quic} = await serve();
  const options = {host: '127.0.0.1', port: tls.port, ca: tls.certificate, agent: false};
  const {status, body, fingerprint} = await new Promise<{
    readonly status: number | undefined;
    readonly body: Promise<Buffer>;
    readonly fingerprint: string;
  }>(resolve => {
    httpsGet(options, response => {
      const {fingerprint256} = (response.socket as TLSSocket).getPeerCertificate();
      resolve({status: response.statusCode, body: buffer(response), fingerprint: fingerprint256});
    });
  });
  expect(status).toBe(200);
  expect((await body).equals(page.objects[0]?.body ?? new Uint8Array())).toBe(true);
  expect(fingerprint.replaceAll(':', '').toLowerCase()).toBe(quic.fingerprint);
});

test('a peer that breaks the protocol gets GOAWAY and is disconnected', async () => {
  const socket = await secured(await serve());
  socket.write(Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n'));
  const said = await buffer(socket);
  // The server sends SETTINGS and then GOAWAY with PROTOCOL_ERROR (RFC 9113 §6.8).
  expect(said[3]).toBe(4);
  const goaway = said.subarray(-17);
  expect([goaway[3], goaway.readUInt32BE(13)]).toEqual([7, 1]);
});

test('a peer that does not finish its handshake, is silent or stops within a request is disconnected', async () => {
  const one = await serve({handshakeMs: 50, idleMs: 50, requestMs: 50});
  const raw = connectTcp(one.tls.port, '127.0.0.1').on('error', () => undefined);
  const [silent, half] = [await secured(one), await secured(one)];
  half.write(Buffer.from('PRI * HTTP/2.0\r\n'));
  await Promise.all([raw, silent, half].map(socket => buffer(socket).catch(() => undefined)));
  while (one.peers().tls > 0) await wait(5);
});

test('a peer that reads no answer is disconnected', async () => {
  const one = await serve({answerMs: 50});
  const session = opened(one);
  // The server cannot write the answer, because the stream's window is 0.
  await once(session, 'remoteSettings');
  session.settings({initialWindowSize: 0});
  session.request({':path': page.objects[1]?.url ?? ''}).on('error', () => undefined);
  await new Promise(resolve => session.on('close', resolve));
  while (one.peers().tls > 0) await wait(1);
});

test('a connection ends when its requests exceed the limit of bytes', async () => {
  const session = opened(await serve({streamBytes: 5000}));
  let answered = 0;
  try {
    for (; answered < 100; answered++) {
      const {headers} = await asked(session, {':path': '/nothing'});
      if (`${headers[':status']}` !== '404') break;
    }
  } catch {
    // The connection has ended.
  }
  // Each request counts as 256 bytes plus its own bytes.
  expect(answered).toBeGreaterThan(5);
  expect(answered).toBeLessThan(20);
  expect(session.destroyed || session.closed).toBe(true);
});

test('closing the server closes every connection, even during its handshake', async () => {
  const one = await serve();
  const raw = connectTcp(one.tls.port, '127.0.0.1').on('error', () => undefined);
  await new Promise(resolve => raw.once('connect', resolve));
  const session = opened(one);
  await asked(session, {':path': '/nothing'});
  const ended = [raw, session].map(each => new Promise(resolve => each.once('close', resolve)));
  raw.resume();
  await one.close();
  server = undefined;
  await Promise.all(ended);
});

test.skipIf(!curlHasH2())('curl loads by HTTP/2 with the certificate, and refuses the server otherwise', async () => {
  const one = await serve();
  const folder = mkdtempSync(join(tmpdir(), 'interleave-curl-'));
  try {
    const certificate = join(folder, 'server.pem');
    writeFileSync(certificate, one.tls.certificate);
    const url = `https://127.0.0.1:${one.tls.port}${page.objects[1]?.url}`;
    const {code, out} = await curl('--cacert', certificate, '--http2', '-sw', '%{http_version}', url);
    expect([code, out.subarray(-1).toString()]).toEqual([0, '2']);
    expect(out.subarray(0, -1).equals(page.objects[1]?.body ?? new Uint8Array())).toBe(true);
    const head = await curl('--cacert', certificate, '-sI', url);
    expect(head.out.toString()).toMatch(/^HTTP\/2 200 \r\n/);
    // The system does not trust the certificate (60 is CURLE_PEER_FAILED_VERIFICATION).
    expect((await curl('-s', url)).code).toBe(60);
  } finally {
    rmSync(folder, {recursive: true});
  }
});

function curlHasH2(): boolean {
  const {stdout} = spawnSync('curl', ['--version'], {encoding: 'utf8'});
  return /^Features:.*\bHTTP2\b/m.test(stdout ?? '');
}

function curl(...args: readonly string[]): Promise<{readonly code: number; readonly out: Buffer}> {
  return new Promise(resolve => {
    execFile('curl', ['--noproxy', '*', ...args], {encoding: 'buffer', maxBuffer: 1e8}, (error, out) => {
      resolve({code: Number(error?.code ?? 0), out});
    });
  });
}

test('unfinished handshakes count towards the limit, and a peer with another address replaces one of them', async () => {
  const one = await serve({peers: 2});
  const silent = Array.from({length: 2}, () => connectTcp({port: one.tls.port, host: '127.0.0.1'}));
  await Promise.all(silent.map(socket => once(socket, 'connect')));
  const gone = Promise.race(silent.map(socket => once(socket.resume(), 'close')));
  const other = connectTcp({port: one.tls.port, host: '127.0.0.1', localAddress: '127.0.0.2'});
  await gone;
  expect(silent.filter(({destroyed}) => destroyed)).toHaveLength(1);
  for (const socket of [...silent, other]) socket.destroy();
});

test('a peer whose partial heads exceed the limit is disconnected', async () => {
  const one = await serve({headBytes: 1000});
  const socket = await secured(one);
  const [began, settings] = [Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])];
  // These HEADERS have no END_HEADERS, so the server waits for a CONTINUATION.
  const head = Buffer.concat([Buffer.from([0, 4, 0, 1, 0, 0, 0, 0, 1]), Buffer.alloc(1024)]);
  const closed = once(socket.resume(), 'close');
  socket.write(Buffer.concat([began, settings, head]));
  await closed;
});

/**
 * Sends the last part of a handshake, and immediately afterwards a RST. The server reads the handshake only after it
 * has received the RST.
 */
async function vanished({tls}: LiveServer): Promise<void> {
  const raw = connectTcp(tls.port, '127.0.0.1').on('error', () => undefined);
  let writes = 0;
  const socket = new Duplex({
    read: () => undefined,
    write: (bytes, _, written) => {
      writes += 1;
      raw.write(bytes);
      if (writes > 1) raw.resetAndDestroy();
      written();
    },
  });
  raw.on('data', bytes => socket.push(bytes));
  const secured = connectTls({socket, ca: tls.certificate, ALPNProtocols: ['h2']});
  await Promise.all([once(raw, 'close'), once(secured, 'secureConnect')]);
  secured.destroy();
}

test('a peer that disconnects before the server completes the handshake leaves nothing behind', async () => {
  const one = await serve();
  for (let i = 0; i < 3; i++) await vanished(one);
  // The server handles this request after the vanished peers.
  await asked(opened(one), {':path': '/nothing'});
  while (one.peers().tls > 1) await wait(1);
});

test('if unfinished handshakes reach the limit, a new peer with the same address is still served', async () => {
  const one = await serve({peers: 2});
  const silent = Array.from({length: 2}, () => connectTcp(one.tls.port, '127.0.0.1').resume());
  await Promise.all(silent.map(socket => once(socket, 'connect')));
  // This client has the same address as the silent ones.
  const {headers} = await asked(opened(one), {':path': '/nothing'});
  expect(headers[':status']).toBe(404);
  for (const socket of silent) socket.destroy();
});
