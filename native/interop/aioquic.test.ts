import {type ChildProcess, spawn, spawnSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {once} from 'node:events';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import type {Page} from '../../app/page/page.ts';
import {openPage} from '../../main/pages/openPage.ts';
import {findAioquic} from '../../main/setup/aioquic.mjs';
import {root} from '../../main/setup/command.mjs';
import {load, serve} from './h3Ends.ts';
import {buildQuicPeer, QuicPeer} from './quicPeer.ts';

// Our HTTP/3 (app/http/h3) on netsim's QUIC (quinn with our patches), each for the first time with a peer that nobody
// here wrote, and encrypted.

const python = findAioquic();
const why = python === undefined ? ' (skipped: npm test installs aioquic, and says so if it cannot)' : '';
const script = join(import.meta.dirname, 'aioquic_peer.py');
const folder = mkdtempSync(join(tmpdir(), 'interleave-aioquic-'));
const fixtures = join(root, 'fixtures/pages');

describe.skipIf(python === undefined)(`HTTP/3 with aioquic, over UDP in real time${why}`, () => {
  let page: Page;
  beforeAll(async () => {
    page = await openPage({kind: 'named', name: 'gallery'}, fixtures);
    expect(spawnSync(python ?? '', [script, 'certificate', folder]).status).toBe(0);
    await buildQuicPeer();
  }, 900_000);
  afterAll(() => rmSync(folder, {recursive: true, force: true}));

  it.each([0, 10])('our client loads a page from its server; of %i datagrams one is lost', async dropEach => {
    const theirs = start(['server', folder, join(fixtures, 'gallery')]);
    let peer: QuicPeer | undefined;
    try {
      peer = QuicPeer.client(folder, await portOf(theirs), dropEach);
      const loaded = await load(peer, [...urlsOf(page), '/nothing']);
      expect(loaded.map(({url, status, body, end}) => `${status} ${url} ${hash(body)} ${end}`)).toEqual([
        ...page.objects.map(({url, body}) => `200 ${url} ${hash(body)} end`),
        `404 /nothing ${hash(null)} end`,
      ]);
    } finally {
      peer?.kill();
      theirs.kill();
    }
  });

  it.each([0, 10])('its client loads a page from our server; of %i datagrams one is lost', async dropEach => {
    const peer = QuicPeer.server(folder, dropEach);
    let theirs: ChildProcess | undefined;
    let ended: Promise<unknown> | undefined;
    try {
      let output = '';
      await serve(peer, page, port => {
        theirs = start(['client', folder, `${port}`, ...urlsOf(page), '/nothing']);
        ended = once(theirs, 'close');
        // its own close may be the datagram that is lost
        theirs.on('close', () => peer.close());
        theirs.stdout?.setEncoding('utf8').on('data', (text: string) => {
          output += text;
        });
      });
      expect(await ended).toEqual([0, null]);
      expect(output.trimEnd().split('\n').sort()).toEqual(
        [...page.objects.map(({url, body}) => `200 ${url} ${hash(body)}`), `404 /nothing ${hash(null)}`].sort(),
      );
    } finally {
      peer.kill();
      theirs?.kill();
    }
  });
});

function start(args: readonly string[]): ChildProcess {
  return spawn(python ?? '', [script, ...args], {stdio: ['ignore', 'pipe', 'inherit']});
}

async function portOf(server: ChildProcess): Promise<number> {
  const input = server.stdout as NonNullable<typeof server.stdout>;
  const [line] = (await once(createInterface({input}), 'line')) as [string];
  return Number(/^port (\d+)$/.exec(line)?.[1]);
}

function urlsOf(page: Page): readonly string[] {
  return page.objects.map(({url}) => url);
}

function hash(bytes: Uint8Array | null): string {
  return createHash('sha256')
    .update(bytes ?? new Uint8Array(0))
    .digest('hex');
}
