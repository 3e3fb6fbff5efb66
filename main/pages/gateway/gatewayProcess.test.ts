import {spawn} from 'node:child_process';
import {randomBytes} from 'node:crypto';
import {once} from 'node:events';
import {existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createServer, type Server, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {pathToFileURL} from 'node:url';
import sharp from 'sharp';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {fetchPage} from '../../cli/commands/fetch.ts';
import {bundle, bundleMain, bundles} from '../../setup/bundle.mjs';
import {GATEWAY_LIMITS} from '../base/gatewayLimits.ts';
import {openPage} from '../openPage.ts';
import type {BundleDocument} from '../store/bundle.ts';
import {writeBundle} from '../store/bundleFolder.ts';
import {fetchBundle} from './gatewayProcess.ts';

const module = pathToFileURL(join(bundles, 'gateway.mjs'));
const photo = readFileSync(join(import.meta.dirname, '../../../fixtures/pages/gallery-baseline/lake.jpg'));
let server: Server;
let folder: string;
let address: string;
/** A page with the largest allowed pictures, style sheet and conversion. */
let worst: {readonly [path: string]: string | Uint8Array} = {};
/** Responses that the server never completes. */
let open: ServerResponse[] = [];

beforeAll(async () => {
  await bundleMain();
  folder = mkdtempSync(join(tmpdir(), 'interleave-gateway-'));
  server = createServer((request, response) => {
    if (request.url === '/') response.setHeader('content-type', 'text/html').end('<h1>a</h1><img src=lake.jpg>');
    else if (request.url === '/lake.jpg') response.end(photo);
    else if (request.url === '/waits') {
      response.setHeader('content-type', 'text/html').write('<img src=');
      open.push(response);
    } else if (worst[request.url ?? ''] !== undefined) {
      const type = request.url?.endsWith('.css') ? 'text/css' : 'text/html';
      response.setHeader('content-type', type).end(worst[request.url ?? '']);
    } else response.writeHead(404).end();
  });
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  address = `http://localhost:${(server.address() as AddressInfo).port}/`;
});

afterAll(() => {
  server.close();
  rmSync(folder, {recursive: true});
});

interface Choice {
  readonly path?: string;
  readonly isProgressive?: boolean;
  readonly isPrivateAllowed?: boolean;
  readonly signal?: AbortSignal;
}

function fetchTo(name: string, choice: Choice = {}) {
  const {path = '', isProgressive = false, isPrivateAllowed = true} = choice;
  const {signal = new AbortController().signal} = choice;
  const out = join(folder, name);
  const command = {
    name: 'fetch',
    address: address + path,
    out,
    isProgressive,
    isPrivateAllowed,
    gateway: undefined,
    format: 'json',
  } as const;
  return fetchPage(command, module, signal);
}

const isClosed = () => open.every(response => response.destroyed);

describe('interleave fetch', () => {
  test('writes a folder that can be opened as a page, and prints a summary', async () => {
    const printed = JSON.parse(await fetchTo('page')) as BundleDocument;
    expect(JSON.parse(readFileSync(join(folder, 'page/bundle.json'), 'utf8'))).toEqual(printed);
    expect(printed).toMatchObject({address, leftOut: [], notLoaded: []});
    const page = await openPage({kind: 'named', name: join(folder, 'page')}, folder);
    expect(page.objects.map(({contentType, body}) => [contentType, body?.length])).toEqual([
      ['text/html; charset=utf-8', Buffer.byteLength('\ufeff<h1>a</h1><img src="files/1-lake.jpg">')],
      ['image/jpeg', photo.length],
    ]);
  });

  test('converts pictures if requested', async () => {
    const {objects} = JSON.parse(await fetchTo('converted', {isProgressive: true})) as BundleDocument;
    expect(objects[1]?.converted).toMatchObject({from: 'baseline JPEG', fromBytes: photo.length});
    expect(objects[1]?.bytes).toBeLessThan(photo.length);
    expect(readFileSync(join(folder, 'converted/files/1-lake.jpg'))).toHaveLength(objects[1]?.bytes ?? 0);
  });

  test('overwrites no existing file, and leaves no incomplete file', async () => {
    mkdirSync(join(folder, 'full'));
    writeFileSync(join(folder, 'full/mine'), 'mine');
    await expect(fetchTo('full')).rejects.toThrow('a folder of that name exists and is not empty');
    writeFileSync(join(folder, 'file'), 'mine');
    await expect(fetchTo('file')).rejects.toThrow('cannot write');
    await expect(fetchTo('file/below')).rejects.toThrow('cannot write');
    mkdirSync(join(folder, 'empty'));
    await fetchTo('empty');
    expect(existsSync(join(folder, 'empty/index.html'))).toBe(true);
    await expect(fetchTo('gone', {path: 'gone'})).rejects.toThrow(
      `${address}gone cannot be fetched: the server answers 404`,
    );
    expect(readdirSync(folder).filter(name => name.endsWith('.part') || name === 'gone')).toEqual([]);
  });

  test('says which option allows a private address', async () => {
    const refused = /^http:.* is not a public address \(--allow-private allows it\)$/;
    await expect(fetchTo('private', {isPrivateAllowed: false})).rejects.toThrow(refused);
  });

  test('leaves no folder if writing is aborted', async () => {
    const before = readdirSync(folder);
    const bundle = {files: [], document: {address, date: '', objects: [], leftOut: [], notLoaded: []}};
    const ended = AbortSignal.abort(new Error('enough'));
    await expect(writeBundle(join(folder, 'ended'), bundle, ended)).rejects.toThrow('enough');
    expect(readdirSync(folder)).toEqual(before);
  });

  test('needs less memory than its limit for the largest allowed pictures, style sheets and conversions', {
    tags: ['long'],
  }, async () => {
    const create = {width: 4000, height: 4000, channels: 3, background: '#123'} as const;
    const picture = Buffer.concat([Buffer.from('GIF89a'), Buffer.alloc(20), randomBytes(19_000_000)]);
    const sheet = `a{background:url(x)}${';'.repeat(999_900)}`;
    worst = {
      '/worst/': '<link rel=stylesheet href=1.css><img src=a><img src=b><img src=c>',
      '/worst/1.css': sheet,
      '/worst/a': picture,
      '/worst/b': picture,
      '/worst/c': await sharp({create}).png({compressionLevel: 1}).toBuffer(),
    };
    let peakBytes = 0;
    const {document} = await fetchBundle(
      {address: `${address}worst/`, isProgressive: true, isPrivateAllowed: true},
      {
        module,
        signal: new AbortController().signal,
        onUsed: used => {
          peakBytes = used.peakBytes;
        },
      },
    );
    expect(document.objects).toHaveLength(5);
    expect(document.objects.at(-1)?.converted).toBeDefined();
    expect(peakBytes).toBeGreaterThan(2 * picture.length);
    expect(peakBytes).toBeLessThan(GATEWAY_LIMITS.memoryBytes);
  });

  test('ends its process after it has received the page', async () => {
    const children = () => process.getActiveResourcesInfo().filter(kind => kind === 'ProcessWrap').length;
    const before = children();
    await fetchTo('once');
    // a process of an earlier test may still have been running
    await expect.poll(children).toBeLessThanOrEqual(before);
  });

  test('ends its process when it is aborted', async () => {
    open = [];
    const abort = new AbortController();
    const got = fetchTo('never', {path: 'waits', signal: abort.signal});
    await expect.poll(() => open.length, {timeout: 20_000}).toBe(1);
    abort.abort(new Error('enough'));
    await expect(got).rejects.toThrow('enough');
    await expect.poll(isClosed).toBe(true);
    expect(existsSync(join(folder, 'never'))).toBe(false);
  });

  test('sends no signal if no process can start', {timeout: 60_000}, async () => {
    await bundle(join(import.meta.dirname, 'gatewayProcess.ts'), join(folder, 'ask.mjs'), 'es');
    writeFileSync(
      join(folder, 'full.mjs'),
      `import {openSync} from 'node:fs';
      import {fetchBundle} from './ask.mjs';
      const ask = signal => fetchBundle({address: 'http://a.test/'}, {module: new URL('file:///none.mjs'), signal});
      try {
        for (;;) openSync('/dev/null', 'r');
      } catch {}
      const abort = new AbortController();
      const asked = ask(abort.signal);
      abort.abort();
      await asked.catch(() => {});
      process.stdout.write(await ask(new AbortController().signal).catch(String));`,
    );
    // the program gets its own process group, because a signal to process 0 goes to the sender's whole group
    const program = spawn('/bin/sh', ['-c', 'ulimit -n 64; "$0" full.mjs', process.execPath], {
      cwd: folder,
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [told, ending] = await Promise.all([text(program.stdout), once(program, 'exit')]);
    expect(ending).toEqual([0, null]);
    expect(told).toMatch(/^FetchError: the gateway’s process cannot start: .*EMFILE/);
  });
});
