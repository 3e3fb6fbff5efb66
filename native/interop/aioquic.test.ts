// @module-tag long
// These tests load pages by HTTP/3 between our implementation and aioquic. Ours is app/http/h3 on quinn with our
// patches, with TLS. aioquic is an implementation in Python.
import type {ChildProcess} from 'node:child_process';
import {createHash} from 'node:crypto';
import {once} from 'node:events';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import type {Page} from '../../app/page/page.ts';
import {openPage} from '../../main/pages/openPage.ts';
import {root} from '../../main/setup/command.mjs';
import {makeCertificate, NO_AIOQUIC, portOfAioquic, startAioquic} from './testing/aioquicPeer.ts';
import {load, serve} from './testing/ourH3Ends.ts';
import {buildQuicPeer, QuicPeer} from './testing/ourQuicPeer.ts';

const folder = mkdtempSync(join(tmpdir(), 'interleave-aioquic-'));
const fixtures = join(root, 'fixtures/pages');

describe.skipIf(NO_AIOQUIC !== '')(`HTTP/3 with aioquic, over UDP in real time${NO_AIOQUIC}`, () => {
  let page: Page;
  beforeAll(async () => {
    page = await openPage({kind: 'named', name: 'gallery'}, fixtures);
    makeCertificate(folder);
    await buildQuicPeer();
  }, 900_000);
  afterAll(() => rmSync(folder, {recursive: true, force: true}));

  it.each([0, 10])('our client loads a page from aioquic (lost: each %i-th datagram, 0: none)', async dropEach => {
    const theirs = startAioquic(['server', folder, join(fixtures, 'gallery')]);
    let peer: QuicPeer | undefined;
    try {
      peer = QuicPeer.client(folder, await portOfAioquic(theirs), dropEach);
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

  it.each([0, 10])('aioquic loads a page from our server (lost: each %i-th datagram, 0: none)', async dropEach => {
    const peer = QuicPeer.server(folder, dropEach);
    let theirs: ChildProcess | undefined;
    let ended: Promise<unknown> | undefined;
    try {
      let output = '';
      await serve(peer, page, port => {
        theirs = startAioquic(['client', folder, `${port}`, ...urlsOf(page), '/nothing']);
        ended = once(theirs, 'close');
        // The datagram that closes the connection may be lost, so the test closes our end.
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

function urlsOf(page: Page): readonly string[] {
  return page.objects.map(({url}) => url);
}

function hash(bytes: Uint8Array | null): string {
  return createHash('sha256')
    .update(bytes ?? new Uint8Array(0))
    .digest('hex');
}
