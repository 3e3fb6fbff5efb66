// The client of aioquic, an implementation in Python, loads a page by HTTP/3 from our live server. Our live client
// loads a page from aioquic's server.
import {execFile} from 'node:child_process';
import {createHash} from 'node:crypto';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as wait} from 'node:timers/promises';
import {promisify} from 'node:util';
import {afterAll, afterEach, beforeAll, describe, expect, it} from 'vitest';
import {FRAME, frame, H3FrameReader} from '../../app/http/h3/h3Frame.ts';
import {encodeVarint} from '../../app/http/h3/varint.ts';
import type {Pane} from '../../app/pipelines/index.ts';
import {loadPaneLive} from '../../app/run/load/loadPane.ts';
import {parseScenario} from '../../app/run/scenario/scenario.ts';
import {RealNetwork} from '../../main/live/client/realNetwork.ts';
import {startServer} from '../../main/live/server/liveServer.ts';
import {SERVER_LIMITS} from '../../main/live/server/serverLimits.ts';
import {startClock} from '../../main/net/clock.ts';
import {openPage} from '../../main/pages/openPage.ts';
import {root} from '../../main/setup/command.mjs';
import {
  AIOQUIC_PYTHON,
  AIOQUIC_SCRIPT,
  makeCertificate,
  NO_AIOQUIC,
  portOfAioquic,
  startAioquic,
} from './testing/aioquicPeer.ts';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'interleave-serve-h3-'));
const fixtures = join(root, 'fixtures/pages');
const page = await openPage({kind: 'named', name: 'gallery'}, fixtures);
const ending: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ending.splice(0)) await end();
});
afterAll(() => rmSync(folder, {recursive: true, force: true}));

function shaOf(bytes: Uint8Array | null): string {
  return createHash('sha256')
    .update(bytes ?? new Uint8Array())
    .digest('hex');
}

/** The SHA-256 of each object of the page. */
const hashes = page.objects.map(({body}) => shaOf(body));

/** A network that keeps the bytes that were read on each stream. */
class KeepingNetwork extends RealNetwork {
  readonly #read = new Map<number, Uint8Array[]>();

  override read(endpoint: number, stream: number): Uint8Array {
    const bytes = super.read(endpoint, stream);
    this.#read.set(stream, [...(this.#read.get(stream) ?? []), bytes]);
    return bytes;
  }

  /** The SHA-256 of the data in the DATA frames on a stream. */
  hashOf(stream: number | null): string {
    const parts = new H3FrameReader(MOST_BYTES).read(Buffer.concat(this.#read.get(stream ?? -1) ?? []));
    return shaOf(Buffer.concat(parts.flatMap(part => (part.kind === 'data' ? [part.bytes] : []))));
  }
}

const MOST_BYTES = 1e6;

function h3Pane(live: string, fingerprint: string): Pane {
  const parsed = parseScenario({path: {live, fingerprint}, panes: [{pipeline: 'h3'}]});
  const pane = parsed.ok ? parsed.scenario.panes[0] : undefined;
  if (pane === undefined) throw new Error(JSON.stringify(parsed));
  return pane;
}

describe.skipIf(NO_AIOQUIC !== '')(`live HTTP/3 with aioquic${NO_AIOQUIC}`, () => {
  beforeAll(() => makeCertificate(folder));

  it.each([256, 0])('aioquic’s client receives our page unchanged (half-open limit %i)', async halfOpen => {
    const limits = {...SERVER_LIMITS, halfOpen};
    const server = await startServer({page, host: '127.0.0.1', port: 0, token: undefined, limits});
    ending.push(() => server.close());
    const {port, fingerprint} = server.quic;
    const urls = page.objects.map(({url}) => url);
    const words = ['pinned', fingerprint, `${port}`, ...urls, '/nothing'];
    const {stdout} = await run(AIOQUIC_PYTHON ?? '', [AIOQUIC_SCRIPT, ...words]);
    const lines = page.objects.map(({url}, at) => `200 ${url} ${hashes[at]}`);
    expect(stdout.trimEnd().split('\n').sort()).toEqual([...lines, `404 /nothing ${shaOf(null)}`].sort());
    while (server.peers().quic > 0) await wait(5);
  });

  it('before our server closes an idle connection, it tells aioquic which requests will not be answered', async () => {
    const limits = {...SERVER_LIMITS, idleMs: 200};
    const server = await startServer({page, host: '127.0.0.1', port: 0, token: undefined, limits, sweepMs: 20});
    ending.push(() => server.close());
    const {port, fingerprint} = server.quic;
    const words = ['pinned-until-closed', fingerprint, `${port}`, '/', '/logo.png'];
    const {stdout} = await run(AIOQUIC_PYTHON ?? '', [AIOQUIC_SCRIPT, ...words]);
    // the requests are on the streams 0 and 4 (RFC 9114 §5.2)
    const goaway = Buffer.from(frame(FRAME.goaway, encodeVarint(8))).toString('hex');
    expect(stdout).toMatch(new RegExp(`^control [0-9a-f]*${goaway}$`, 'm'));
  });

  it('our client receives the page of aioquic’s server unchanged', async () => {
    const theirs = startAioquic(['server', folder, join(fixtures, 'gallery')]);
    ending.push(() => theirs.kill());
    const port = await portOfAioquic(theirs);
    const fingerprint = shaOf(readFileSync(join(folder, 'certificate.der')));
    const pane = h3Pane(`127.0.0.1:${port - 1}`, fingerprint);
    const network = new KeepingNetwork({host: '127.0.0.1', port: port - 1, fingerprint, clock: startClock()});
    ending.push(() => network.close());
    const trace = await loadPaneLive(network, page, pane, {
      discovery: 'streaming',
      timeLimitNs: 60e9,
      thinkNs: 0,
      rateBps: 0,
      retryNs: 5e6,
    });
    expect(trace).toMatchObject({outcome: 'complete', reason: null});
    expect(trace.objects.map(({stream}) => network.hashOf(stream))).toEqual(hashes);
  });
});
