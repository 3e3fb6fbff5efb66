// Clients of other implementations load a page from our server. curl uses TCP. node-sctp and Debian's libusrsctp use
// SCTP.

import {execFile, spawnSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {once} from 'node:events';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as wait} from 'node:timers/promises';
import {promisify} from 'node:util';
import sctp from 'sctp';
import {afterAll, afterEach, beforeEach, describe, expect, it} from 'vitest';
import {ResponseParser} from '../../app/http/response.ts';
import type {PageObject} from '../../app/page/page.ts';
import {type LiveServer, startServer} from '../../main/live/server/liveServer.ts';
import {openPage} from '../../main/pages/openPage.ts';
import {bindUdp, freeUdpPort} from './testing/udpSockets.ts';
import {compileUsrsctp} from './testing/usrsctpPeer.ts';

const run = promisify(execFile);
const page = await openPage({kind: 'named', name: 'gallery'}, 'fixtures/pages');
const objects: readonly PageObject[] = page.objects;
const folder = mkdtempSync(join(tmpdir(), 'interleave-serve-'));
let server: LiveServer;

beforeEach(async () => {
  server = await startServer({page, host: '127.0.0.1', port: 0, token: undefined});
});
afterEach(() => server.close());
afterAll(() => rmSync(folder, {recursive: true}));

function shaOf(...pieces: readonly Uint8Array[]): string {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}

/** The SHA-256 of each object of the page. */
const hashes = objects.map(({body}) => shaOf(body ?? new Uint8Array()));
const responseBytes = (object: PageObject): number => page.headerBytes + (object.body?.length ?? 0);

/** The SHA-256 of the body on each stream. Each stream carries the response for one object. */
function bodyHashes(streams: readonly (readonly Uint8Array[])[]): string[] {
  return streams.map(pieces => {
    const parser = new ResponseParser();
    const bodies = pieces.flatMap(bytes => [...parser.push(bytes)]);
    return shaOf(...bodies.flatMap(event => (event.type === 'body' ? [event.bytes] : [])));
  });
}

const hasCurl = spawnSync('curl', ['--version']).status === 0;

describe.skipIf(!hasCurl)(`a served page in curl${hasCurl ? '' : ' (skipped: curl is missing)'}`, () => {
  it('arrives unchanged over one TCP connection', async () => {
    const files = objects.map((_, object) => join(folder, `${object}`));
    const urls = objects.flatMap(({url}, at) => [`http://127.0.0.1:${server.port}${url}`, '-o', files[at] ?? '']);
    const {stdout} = await run('curl', ['-sS', '-w', '%{num_connects} %{http_code}\n', ...urls]);
    expect(stdout.trim().split('\n')).toEqual(objects.map((_, at) => (at === 0 ? '1 200' : '0 200')));
    const {stdout: sums} = await run('sha256sum', files);
    expect(
      sums
        .trim()
        .split('\n')
        .map(line => line.slice(0, 64)),
    ).toEqual(hashes);
  });
});

describe('a page served over SCTP in UDP', () => {
  it('arrives unchanged at node-sctp, each object on its own stream', async () => {
    const udp = await bindUdp();
    udp.connect(server.port, '127.0.0.1');
    await once(udp, 'connect');
    const own = {localPort: 5000, OS: objects.length, MIS: objects.length};
    const socket = sctp.connect({...own, passive: false, port: 80, udpTransport: udp});
    const streams = objects.map((): Buffer[] => []);
    const came = new Promise<void>((resolve, reject) => {
      let left = objects.reduce((sum, object) => sum + responseBytes(object), 0);
      socket.on('stream', (stream, id) => {
        stream.on('data', (bytes: Buffer) => {
          streams[id]?.push(bytes);
          left -= bytes.length;
          if (left <= 0) resolve();
        });
      });
      socket.on('error', error => reject(error ?? new Error('node-sctp: communication error')));
    });
    socket.resume();
    await once(socket, 'connect');
    for (const [stream, {url}] of objects.entries()) {
      const writer = socket.createStream(stream);
      await new Promise<void>((resolve, reject) => {
        const request = Buffer.from(`GET ${url} HTTP/1.1\r\nHost: a\r\n\r\n`);
        writer.write(request, error => (error ? reject(error) : resolve()));
      });
    }
    await came;
    expect(bodyHashes(streams)).toEqual(hashes);
    socket.end();
    while (server.peers().sctp > 0) await wait(20);
    udp.close();
  });

  const {path, missing} = compileUsrsctp('usrsctp_get', folder);

  it.skipIf(missing !== '')(`arrives unchanged at libusrsctp, and the association ends${missing}`, async () => {
    const port = await freeUdpPort();
    const bytes = objects.reduce((sum, object) => sum + responseBytes(object), 0);
    const words = [port, server.port, bytes].map(String);
    const urls = objects.map(({url}) => url);
    const options = {encoding: 'buffer', maxBuffer: 100_000_000} as const;
    const {stdout} = await run(path, [...words, ...urls], options);
    expect(bodyHashes(piecesOf(stdout))).toEqual(hashes);
    while (server.peers().sctp > 0) await wait(20);
  });
});

/** Parses the output of usrsctp_get. Returns the received pieces of each stream. */
function piecesOf(printed: Buffer): Buffer[][] {
  const streams = objects.map((): Buffer[] => []);
  for (let at = 0; at < printed.length; ) {
    const end = printed.indexOf('\n', at);
    const [stream = 0, bytes = 0] = printed.toString('latin1', at, end).split(' ').map(Number);
    streams[stream]?.push(printed.subarray(end + 1, end + 1 + bytes));
    at = end + 1 + bytes;
  }
  return streams;
}
