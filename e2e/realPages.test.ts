// @module-tag long
import {execFileSync} from 'node:child_process';
import {existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {createServer, type Server} from 'node:http';
import type {AddressInfo} from 'node:net';
import {tmpdir} from 'node:os';
import {extname, join, normalize} from 'node:path';
import {pathToFileURL} from 'node:url';
import type {Browser} from 'playwright-core';
import sharp from 'sharp';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {type PageSnapshot, pictureFiles} from '../app/page/page.ts';
import {fetchBundle} from '../main/pages/gateway/gatewayProcess.ts';
import {openPage} from '../main/pages/openPage.ts';
import {writeBundle} from '../main/pages/store/bundleFolder.ts';
import {bundleMain, bundles} from '../main/setup/bundle.mjs';
import {root} from '../main/setup/command.mjs';
import {paneScreens} from './paneScreens.ts';
import {openBrowser, whySkipped} from './window.ts';

// Pages from outside the project: manuals with pictures from Debian packages. They are fetched through the gateway and
// shown by a pane at the end of a load. The tests compare this with what Chromium itself shows of the same files
// without scripts.

/** The manual, its page, and the largest share of pixels that may differ. */
const MANUALS = [
  ['aptitude-doc-en', 'aptitude/html/en/ch02s04s05.html', 0.01],
  ['libcairo2-doc', '../gtk-doc/html/cairo/language-bindings.html', 0.01],
  ['octave-doc', 'octave/octave.html/Two_002dDimensional-Plots.html', 0.01],
  ['ntpsec-doc', 'ntpsec-doc/html/warp.html', 0.01],
  ['xfig-doc', 'xfig/html/drawing.html', 0.01],
] as const;

const cache = join(root, '.cache/manuals');
const whyNoManuals = whySkipped || missingManuals();

describe.skipIf(whyNoManuals !== '')(`pages from outside the project${whyNoManuals}`, () => {
  let browser: Browser;
  let server: Server;
  let folder: string;
  let origin: string;

  beforeAll(async () => {
    await bundleMain();
    folder = mkdtempSync(join(tmpdir(), 'interleave-manuals-'));
    server = createServer((request, response) => {
      const path = normalize(decodeURIComponent(new URL(request.url ?? '', 'http://x').pathname));
      const file = join(cache, path);
      const type = TYPES[extname(file)];
      if (!existsSync(file) || type === undefined) response.writeHead(404).end();
      else response.setHeader('content-type', type).end(readFileSync(file));
    });
    await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
    origin = `http://localhost:${(server.address() as AddressInfo).port}`;
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
    rmSync(folder, {recursive: true, force: true});
  });

  test.each(MANUALS)('%s looks as in Chromium', async (manual, path, most) => {
    const address = `${origin}/${manual}${normalize(`/usr/share/doc/${path}`)}`;
    const out = join(folder, manual);
    const signal = new AbortController().signal;
    const request = {address, isProgressive: false, isPrivateAllowed: true};
    const module = pathToFileURL(join(bundles, 'gateway.mjs'));
    await writeBundle(out, await fetchBundle(request, {module, signal}), signal);
    const snapshot = await openPage({kind: 'named', name: out}, folder);
    expect(pictureFiles(snapshot)).toBeGreaterThan(3);
    const ours = await pictureOfPane(browser, snapshot);
    const theirs = await pictureOfChromium(browser, address);
    const share = await difference(ours, theirs);
    console.info(`${manual}: ${(100 * share).toFixed(2)} % of the pixels differ`);
    expect(share).toBeLessThan(most);
  });
});

/** Downloads missing manuals. Returns why that was not possible, or an empty text. */
function missingManuals(): string {
  const missing = MANUALS.map(([name]) => name).filter(name => !existsSync(join(cache, name)));
  if (missing.length === 0) return '';
  mkdirSync(cache, {recursive: true});
  for (const name of missing) {
    try {
      const part = mkdtempSync(join(cache, 'part-'));
      download(name, part);
      execFileSync('sh', ['-c', `dpkg -x ${name}_*.deb . && rm ${name}_*.deb && mv "$PWD" ../${name}`], {
        cwd: part,
      });
    } catch {
      return ` (not run: apt-get download ${name} does not work here)`;
    }
  }
  return '';
}

/** Downloads a package. If the lists of packages are missing, root may download them first. */
function download(name: string, cwd: string): void {
  const aptGet = (...args: readonly string[]): void => {
    execFileSync('apt-get', ['-qq', ...args], {cwd, stdio: 'ignore', timeout: 120_000});
  };
  try {
    aptGet('download', name);
  } catch (error) {
    if (process.getuid?.() !== 0) throw error;
    aptGet('update');
    aptGet('download', name);
  }
}

async function pictureOfPane(browser: Browser, snapshot: PageSnapshot): Promise<Buffer> {
  const bytes = snapshot.objects.map(({body}) => body?.length ?? 0);
  const states = snapshot.objects.map(({body}) => (body === null ? 'failed' : 'complete'));
  const moment = {states, bytes, html: [{first: 0, end: bytes[0] ?? 0}], insertedNs: [], tNs: 1};
  const [picture = Buffer.of()] = await paneScreens(browser, snapshot, SCREEN, [moment]);
  return picture;
}

async function pictureOfChromium(browser: Browser, address: string): Promise<Buffer> {
  const context = await browser.newContext({viewport: SCREEN, javaScriptEnabled: false});
  try {
    const page = await context.newPage();
    await page.goto(address, {waitUntil: 'load'});
    return await page.screenshot();
  } finally {
    await context.close();
  }
}

/** The share of pixels of which any channel differs by more than 32 of 255. */
async function difference(a: Buffer, b: Buffer): Promise<number> {
  const [one, other] = await Promise.all([a, b].map(each => sharp(each).removeAlpha().raw().toBuffer()));
  if (one === undefined || other === undefined || one.length !== other.length) return 1;
  let different = 0;
  for (let at = 0; at < one.length; at += 3) {
    const most = Math.max(...[0, 1, 2].map(i => Math.abs((one[at + i] ?? 0) - (other[at + i] ?? 0))));
    if (most > 32) different += 1;
  }
  return different / (one.length / 3);
}

/** The size in CSS px. Its height is that of two screens. */
const SCREEN = {width: 1024, height: 1536};

const TYPES: {readonly [extension: string]: string} = {
  '.css': 'text/css',
  '.gif': 'image/gif',
  '.html': 'text/html',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};
