// Our client loads a page over SCTP from servers of other implementations, which are node-sctp and Debian's libusrsctp.
import {spawn} from 'node:child_process';
import {createHash} from 'node:crypto';
import {once} from 'node:events';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, afterEach, describe, expect, it, vi} from 'vitest';
import {encodeResponse} from '../../app/http/testing/encodeResponse.ts';
import {PageLoader} from '../../app/run/load/pageLoader.ts';
import {parseScenario} from '../../app/run/scenario/scenario.ts';
import {LiveLoad} from '../../main/live/client/liveLoad.ts';
import {openPage} from '../../main/pages/openPage.ts';
import {serveByNode} from './testing/nodeSctpServer.ts';
import {freeUdpPort} from './testing/udpSockets.ts';
import {compileUsrsctp} from './testing/usrsctpPeer.ts';

const page = await openPage({kind: 'named', name: 'gallery'}, 'fixtures/pages');
const folder = mkdtempSync(join(tmpdir(), 'interleave-load-'));
afterAll(() => rmSync(folder, {recursive: true}));
const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
  vi.restoreAllMocks();
});

function answer(wanted: string): Uint8Array | undefined {
  const object = page.objects.find(({url}) => url === wanted);
  return object?.body ? encodeResponse('200 OK', 'image/jpeg', object.body, page.headerBytes) : undefined;
}

/** Loads the page over this many streams. Returns the SHA-256 of each received object. */
async function hashesOfLoad(port: number, streams: number): Promise<string[]> {
  const hashes = page.objects.map(() => createHash('sha256'));
  const handled = PageLoader.prototype.handleResponse;
  vi.spyOn(PageLoader.prototype, 'handleResponse').mockImplementation(function (this: PageLoader, ...args) {
    const [object, event] = args;
    if (event.type === 'body') hashes[object]?.update(event.bytes);
    handled.apply(this, args);
  });
  const live = {path: {live: `127.0.0.1:${port}`}, panes: [{pipeline: 'sctp', streams}]};
  const parsed = parseScenario({...live, timeLimitMs: 20_000});
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const {panes} = await new LiveLoad(page, parsed.scenario, {signal: new AbortController().signal}).run();
  expect(panes[0]).toMatchObject({outcome: 'complete', reason: null, streams});
  return hashes.map(hash => hash.digest('hex'));
}

const expected = page.objects.map(({body}) =>
  createHash('sha256')
    .update(body ?? new Uint8Array())
    .digest('hex'),
);

describe('a live load over SCTP in UDP', () => {
  it.each([1, 12])('receives the page from node-sctp unchanged, on %i streams', async streams => {
    const server = await serveByNode(answer);
    open.push(server.close);
    expect(await hashesOfLoad(server.port, streams)).toEqual(expected);
  });

  const {path, missing} = compileUsrsctp('usrsctp_serve', folder);
  const claim = `receives the page from libusrsctp unchanged, on %i streams${missing}`;

  it.skipIf(missing !== '').each([1, 12])(claim, async streams => {
    for (const [number, {url}] of page.objects.entries()) writeFileSync(join(folder, `${number}`), answer(url) ?? '');
    const port = await freeUdpPort();
    const server = spawn(path, [`${port}`, folder, ...page.objects.map(({url}) => url)]);
    open.push(() => server.kill());
    const ended = once(server, 'exit');
    await once(server.stdout, 'data');
    expect(await hashesOfLoad(port, streams)).toEqual(expected);
    // The server exits when the association ends, at the end of the load.
    expect(await ended).toEqual([0, null]);
  });
});
