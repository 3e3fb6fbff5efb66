// @module-tag long
import {readFileSync} from 'node:fs';
import {createServer, type Server} from 'node:http';
import type {AddressInfo} from 'node:net';
import {join} from 'node:path';
import type {Browser, Page} from 'playwright-core';
import sharp from 'sharp';
import {build} from 'vite';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import type * as modules from './qualityModules.ts';
import {openBrowser, whySkipped} from './window.ts';

// Compares what renderer/run/panes/decodePicture.ts shows of a picture's first bytes with what the same browser paints
// of an image element whose server has sent only these bytes so far (docs/image-formats.md).

const SIZE = {width: 224, height: 168} as const;
const SHARES = [0.05, 0.15, 0.3, 0.6, 0.95] as const;
const lake = () => sharp(readFileSync('fixtures/pages/gallery-5k/lake.jpg'));

const FORMATS: {readonly [name: string]: {readonly make: () => Promise<Buffer>; readonly type: string}} = {
  'baseline JPEG': {make: () => lake().jpeg().toBuffer(), type: 'image/jpeg'},
  PNG: {make: () => lake().png().toBuffer(), type: 'image/png'},
  'interlaced PNG': {make: () => lake().png({progressive: true}).toBuffer(), type: 'image/png'},
  GIF: {make: () => lake().gif().toBuffer(), type: 'image/gif'},
  'lossy WebP': {make: () => lake().webp().toBuffer(), type: 'image/webp'},
  'lossless WebP': {make: () => lake().webp({lossless: true}).toBuffer(), type: 'image/webp'},
  'WebP with alpha': {make: () => lake().ensureAlpha(0.7).webp().toBuffer(), type: 'image/webp'},
  AVIF: {make: () => lake().avif({effort: 2}).toBuffer(), type: 'image/avif'},
  'layered AVIF': {make: async () => readFileSync('fixtures/formats/layered.avif'), type: 'image/avif'},
};

describe.skipIf(whySkipped !== '')(`the first bytes of a picture${whySkipped}`, () => {
  let browser: Browser;
  let code: string;
  beforeAll(async () => {
    const built = await build({
      configFile: false,
      logLevel: 'error',
      build: {
        write: false,
        lib: {entry: join(import.meta.dirname, 'qualityModules.ts'), name: 'quality', formats: ['iife']},
      },
    });
    const [bundle] = Array.isArray(built) ? built : [];
    code = bundle?.output[0].code ?? '';
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  test.each(Object.keys(FORMATS))('look as they do in an image element that is still loading: %s', async name => {
    const {make, type} = FORMATS[name] ?? {};
    const body = (await make?.()) ?? Buffer.alloc(0);
    const prefixes = SHARES.map(share => Math.round(share * body.length));
    const servers = await Promise.all(prefixes.map(bytes => slowServer(body, bytes, type ?? '')));
    const page = await browser.newPage({
      viewport: {width: 2 * SIZE.width, height: SHARES.length * SIZE.height},
    });
    try {
      // `ImageDecoder`, which decodes incomplete pictures, exists only in a secure context, such as a page from loopback
      await page.goto(`${servers.slice(0, 1).map(addressOf).join()}page`);
      await page.addScriptTag({content: code});
      const painted = await show(page, {
        body,
        type: type ?? '',
        prefixes,
        addresses: servers.map(addressOf),
      });
      // nothing is painted of an AVIF without layers, nor of a picture that has no rows yet
      expect(painted, name).toEqual(PAINTED[name]);
      // Chromium repaints a loading picture once a second
      await expect.poll(() => difference(page), {timeout: 30_000, interval: 500}).toBeLessThan(1);
    } finally {
      await page.close();
      for (const server of servers) {
        server.close();
        server.closeAllConnections();
      }
    }
  });
});

/** For each format: whether anything is painted of each prefix. */
const PAINTED: {readonly [name: string]: readonly boolean[]} = {
  'baseline JPEG': [false, true, true, true, true],
  PNG: [true, true, true, true, true],
  'interlaced PNG': [true, true, true, true, true],
  GIF: [true, true, true, true, true],
  'lossy WebP': [false, false, true, true, true],
  'lossless WebP': [false, true, true, true, true],
  'WebP with alpha': [false, false, true, true, true],
  AVIF: [false, false, false, false, false],
  'layered AVIF': [false, true, true, true, true],
};

/**
 * Starts a server that sends the first bytes of a picture and leaves the response open. It also serves the page that
 * shows the pictures. Each prefix has its own server, because a browser sends at most six requests to a server at once.
 */
async function slowServer(body: Buffer, bytes: number, type: string): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.url === '/page') {
      response.writeHead(200, {'Content-Type': 'text/html'});
      response.end('<!doctype html><body style="margin:0;background:#f0f">');
      return;
    }
    response.writeHead(200, {
      'Content-Type': type,
      'Content-Length': body.length,
      'Cache-Control': 'no-store',
    });
    response.write(body.subarray(0, bytes));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return server;
}

function addressOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

interface Shown {
  readonly body: Buffer;
  readonly type: string;
  readonly prefixes: readonly number[];
  readonly addresses: readonly string[];
}

/**
 * Puts image elements on the left and our pictures on the right. Returns whether anything is painted of each of our
 * pictures.
 */
function show(page: Page, {body, type, prefixes, addresses}: Shown): Promise<readonly boolean[]> {
  return page.evaluate(
    async ({base64, type, prefixes, addresses, size}) => {
      const {quality} = globalThis as unknown as {quality: typeof modules};
      const body = Uint8Array.from(atob(base64), letter => letter.charCodeAt(0));
      const put = (address: string, column: number, row: number): void => {
        const image = new Image();
        image.style.cssText = `position:absolute;width:${size.width}px;height:${size.height}px`;
        Object.assign(image.style, {left: `${column * size.width}px`, top: `${row * size.height}px`});
        image.src = address;
        document.body.append(image);
      };
      const painted: boolean[] = [];
      for (const [row, bytes] of prefixes.entries()) {
        put(addresses[row] ?? '', 0, row);
        const address = await quality.decodePrefix({body, contentType: type}, bytes);
        if (address !== undefined) put(address, 1, row);
        painted.push(address !== undefined && (await hasPixels(address)));
      }
      return painted;

      async function hasPixels(address: string): Promise<boolean> {
        const image = new Image();
        image.src = address;
        await image.decode();
        const context = new OffscreenCanvas(size.width, size.height).getContext('2d');
        context?.drawImage(image, 0, 0);
        const {data = new Uint8ClampedArray()} = context?.getImageData(0, 0, size.width, size.height) ?? {};
        return data.some((value, i) => i % 4 === 3 && value > 0);
      }
    },
    {base64: body.toString('base64'), type, prefixes, addresses, size: SIZE},
  );
}

/** Returns the mean difference of the two columns over all channels, in the row in which it is largest. */
async function difference(page: Page): Promise<number> {
  const {data} = await sharp(await page.screenshot())
    .removeAlpha()
    .raw()
    .toBuffer({resolveWithObject: true});
  const lineBytes = 3 * SIZE.width;
  const means = SHARES.map((_, row) => {
    let sum = 0;
    for (let y = row * SIZE.height; y < (row + 1) * SIZE.height; y++) {
      const left = 2 * lineBytes * y;
      for (let i = 0; i < lineBytes; i++) sum += Math.abs((data[left + i] ?? 0) - (data[left + lineBytes + i] ?? 0));
    }
    return sum / (lineBytes * SIZE.height);
  });
  return Math.max(...means);
}
