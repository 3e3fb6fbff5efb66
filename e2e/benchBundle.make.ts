import {mkdtempSync, rmSync} from 'node:fs';
import {createServer, type Server} from 'node:http';
import type {AddressInfo} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import sharp from 'sharp';
import {afterAll, beforeAll, test} from 'vitest';
import {CONVERSIONS} from '../app/page/conversion.ts';
import {parseScenario} from '../app/run/scenario/scenario.ts';
import {load} from '../main/engine/load.ts';
import {convertedPicture} from '../main/pages/convert/picture.ts';
import type {ProcessUse} from '../main/pages/gateway/gatewayMessage.ts';
import {fetchBundle} from '../main/pages/gateway/gatewayProcess.ts';
import {openPage} from '../main/pages/openPage.ts';
import {writeBundle} from '../main/pages/store/bundleFolder.ts';
import {bundleMain, bundles} from '../main/setup/bundle.mjs';
import {cpuMs, dragOnce, heapBytes, isTiny, quantiles} from './benchWindow.ts';
import {measured, openWindow, whySkipped} from './window.ts';

// Benches of a fetched page of 5 MB. They measure this machine, so results are comparable only within one run.

/** The number of pictures, which have 130 KB on average. One in ten is a PNG. */
const PICTURES = isTiny ? 3 : 40;
const folder = mkdtempSync(join(tmpdir(), 'interleave-bench-bundle-'));
const page = join(folder, 'served');
let files: ReadonlyMap<string, Uint8Array>;
let server: Server;

beforeAll(async () => {
  await bundleMain();
  files = await pageFiles();
  server = createServer((request, response) => {
    const body = files.get(request.url ?? '');
    const type = request.url === '/' ? 'text/html' : request.url?.endsWith('.css') ? 'text/css' : '';
    if (type !== '') response.setHeader('content-type', type);
    response.writeHead(body === undefined ? 404 : 200).end(body);
  });
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
}, 600_000);

afterAll(() => {
  server?.close();
  rmSync(folder, {recursive: true, force: true});
});

test('conversion', async () => {
  for (const [kind, name] of [
    ['JPEG', '/1.jpg'],
    ['PNG', '/0.png'],
  ] as const) {
    const picture = files.get(name) ?? new Uint8Array();
    for (const conversion of CONVERSIONS) {
      const ownCpuMs = await leastOf(isTiny ? 1 : 5, async () => {
        await convertedPicture(picture, conversion, () => 0);
      });
      const made = await convertedPicture(picture, conversion, () => 0);
      const size = made === undefined ? 'not smaller, so not converted' : kb(made.bytes.length);
      console.log(
        `conversion, ${kind} of 800 × 600, ${kb(picture.length)}, ${conversion}: CPU ${ownCpuMs.toFixed(0)} ms, ${size}`,
      );
    }
  }
});

test('fetch, and load', async () => {
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const signal = new AbortController().signal;
  const module = pathToFileURL(join(bundles, 'gateway.mjs'));
  for (const isProgressive of [false, true]) {
    let taken: ProcessUse = {cpuMs: 0, peakBytes: 0};
    const onUsed = (used: ProcessUse): void => {
      taken = used;
    };
    const bundle = await fetchBundle({address, isProgressive, isPrivateAllowed: true}, {module, signal, onUsed});
    const bytes = bundle.files.reduce((sum, file) => sum + file.bytes.length, 0);
    console.log(
      `fetch, page of 5 MB${isProgressive ? ', progressive' : ''}: CPU ${taken.cpuMs.toFixed(0)} ms, at most ${mb(taken.peakBytes)} of memory; the bundle has ${bundle.files.length} files, ${mb(bytes)}`,
    );
    if (!isProgressive) await writeBundle(page, bundle, signal);
  }
  const parsed = parseScenario(scenario());
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  const {scenario: checked} = parsed;
  const openMs = await leastOf(isTiny ? 1 : 5, () => openPage(checked.page, folder));
  const snapshot = await openPage(checked.page, folder);
  const loadMs = await leastOf(isTiny ? 1 : 5, async () => load(snapshot, checked, checked.seed));
  console.log(`load, page of 5 MB: opened CPU ${openMs.toFixed(0)} ms, two panes CPU ${loadMs.toFixed(0)} ms`);
});

test.skipIf(whySkipped !== '')('slider to the new timeline, page of 5 MB', async () => {
  const {page, close} = await openWindow(scenario());
  await measured(page);
  const moves = isTiny ? 2 : 20;
  const times: number[] = [];
  const cpuBefore = await cpuMs(page);
  for (let i = 0; i < moves; i++) times.push(await page.evaluate(dragOnce, 5 + (i % 20) * 5));
  const cpu = ((await cpuMs(page)) - cpuBefore) / moves;
  await page.keyboard.press('End');
  const memory = mb(await heapBytes(page));
  console.log(
    `slider to timeline, page of 5 MB: ${quantiles(times)} ms, CPU ${cpu.toFixed(0)} ms; ${memory} in the JavaScript heap`,
  );
  await close();
});

const scenario = () => ({
  page,
  path: {rateBps: 10_000_000, rttMs: 100, loss: 0.01},
  panes: [{pipeline: 'tcp'}, {pipeline: 'sctp', streams: 64}],
});

/** HTML, a style sheet and pictures, the same in every run. One picture in ten is a PNG, the others baseline JPEGs. */
async function pageFiles(): Promise<ReadonlyMap<string, Uint8Array>> {
  const made = new Map<string, Uint8Array>();
  const names = Array.from({length: PICTURES}, (_, i) => `/${i}.${i % 10 === 0 ? 'png' : 'jpg'}`);
  for (const [i, name] of names.entries()) made.set(name, await picture(i, name.endsWith('png')));
  const figures = names.map(name => `<figure><img src="${name}" width=400><p>${TEXT}</figure>`);
  made.set('/', Buffer.from(`<!doctype html><link rel=stylesheet href=a.css>${figures.join('\n')}`));
  const rules = Array.from({length: 500}, (_, i) => `.a${i} > p:nth-child(${i}) { margin: ${i}px }`);
  made.set('/a.css', Buffer.from(`figure { background: url(0.png) }\n${rules.join('\n')}`));
  return made;
}

/** A picture of waves and noise. The noise comes from a fixed generator (`ranqd1` of Numerical Recipes). */
async function picture(seed: number, isPng: boolean): Promise<Uint8Array> {
  const raw = {width: 800, height: 600, channels: 3} as const;
  const pixels = Buffer.alloc(raw.width * raw.height * 3);
  const noise = isPng ? 4 : 24;
  let state = seed;
  for (let at = 0; at < pixels.length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const [x, y] = [Math.floor(at / 3) % raw.width, Math.floor(at / 3 / raw.width)];
    const wave = Math.sin((x + 40 * seed) / 37) + Math.cos(y / 23 + (at % 3));
    pixels[at] = 128 + 40 * wave + ((state >>> 24) / 256 - 0.5) * noise * (isPng && x % 8 > 0 ? 0 : 1);
  }
  const image = sharp(pixels, {raw});
  return isPng ? image.png({compressionLevel: 6}).toBuffer() : image.jpeg({quality: 80}).toBuffer();
}

/**
 * Does `work` several times, and returns the shortest CPU time of this process and its threads, ms. The other times may
 * be longer only because other programs were running.
 */
async function leastOf(times: number, work: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < times; i++) {
    const before = process.cpuUsage();
    await work();
    const {user, system} = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

const kb = (bytes: number): string => `${(bytes / 1000).toFixed(0)} KB`;
const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

const TEXT = 'Some words about what the picture shows, and some more of them. '.repeat(8);
