import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import type {Browser, Page as BrowserPage} from 'playwright-core';
import {build} from 'vite';
import type {Page, PageObject} from '../app/page/page.ts';
import {qualityAt} from '../app/run/quality/curve.ts';
import type {PageQuality} from '../app/run/quality/pageQuality.ts';
import {openPage} from '../main/pages/openPage.ts';
import type * as modules from './qualityModules.ts';
import {openBrowser} from './window.ts';

/** A page in a browser that has the modules of renderer/run/quality, but not the program's window. */
export interface MeasuringPage {
  readonly page: BrowserPage;
  /** Measures a page. With `abortAt`, measuring is aborted after this many objects. */
  measure(page: Page, abortAt?: number): Promise<Measured>;
  close(): Promise<void>;
}

export interface Measured {
  /** Null if measuring was aborted. */
  readonly quality: PageQuality | null;
  readonly error: string | null;
  readonly progress: readonly (readonly [done: number, all: number])[];
  /** The number of prefixes of pictures that were decoded, except those of WebP files, which `ImageDecoder` decodes. */
  readonly decodes: number;
  /** The number of iframes that were left in the document. */
  readonly frames: number;
}

export async function openMeasuring(): Promise<MeasuringPage> {
  const entry = join(import.meta.dirname, 'qualityModules.ts');
  const built = await build({
    configFile: false,
    logLevel: 'error',
    build: {write: false, lib: {entry, name: 'quality', formats: ['iife']}},
  });
  const [bundle] = Array.isArray(built) ? built : [];
  const browser: Browser = await openBrowser();
  const page = await browser.newPage();
  // crypto.subtle needs a secure context
  const html = {contentType: 'text/html', body: '<!doctype html><title>quality</title><body></body>'};
  await page.route('https://quality.test/', route => route.fulfill(html));
  await page.goto('https://quality.test/');
  await page.addScriptTag({content: bundle?.output[0].code ?? ''});
  await page.addScriptTag({content: `globalThis.measureIn = ${measureIn}`});
  return {
    page,
    measure: async ({name, objects}, abortAt = -1) => {
      const plain = objects.map(({url, contentType, body}) => ({
        url,
        contentType,
        body: body === null ? null : Buffer.from(body).toString('base64'),
      }));
      const query = JSON.stringify([name, plain, abortAt]);
      return (await page.evaluate(`measureIn(...${query})`)) as Measured;
    },
    close: () => browser.close(),
  };
}

/** Runs in the browser. Measures a page with the modules that are loaded there. */
async function measureIn(
  name: string,
  plain: readonly {url: string; contentType: string; body: string | null}[],
  abortAt: number,
): Promise<Measured> {
  const {quality} = globalThis as unknown as {quality: typeof modules};
  const objects = plain.map(({body, ...object}) => ({
    ...object,
    body: body === null ? null : Uint8Array.from(atob(body), character => character.charCodeAt(0)),
  }));
  const abort = new AbortController();
  const progress: [number, number][] = [];
  const onProgress = (done: number, all: number): void => {
    progress.push([done, all]);
    if (done === abortAt) abort.abort(new Error('enough'));
  };
  const {Image} = globalThis;
  let decodes = 0;
  globalThis.Image = class extends Image {
    constructor() {
      super();
      decodes += 1;
    }
  };
  const page = {name, objects, headerBytes: 250, requestBytes: 200};
  const asked = quality.measureQuality(page, {onProgress, signal: abort.signal});
  const answer = await asked.then(
    measured => ({quality: measured, error: null}),
    error => ({quality: null, error: String(error)}),
  );
  globalThis.Image = Image;
  return {...answer, progress, decodes, frames: document.querySelectorAll('iframe').length};
}

/** Opens a page of the fixtures. */
export function fixturePage(name: string): Promise<Page> {
  return openPage({kind: 'named', name}, join(import.meta.dirname, '../fixtures/pages'));
}

/** Makes a page from its HTML and its objects. The keys of `files` are the objects' names. */
export function pageOf(html: string, files: {readonly [name: string]: Uint8Array | string | null}): Page {
  const objects = Object.entries(files).map(([name, body]): PageObject => {
    const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
    return {url: `/${name}`, contentType: TYPES[name.split('.')[1] ?? ''] ?? '', body: bytes};
  });
  const index = {url: '/', contentType: 'text/html', body: new TextEncoder().encode(html)};
  return {name: 'by hand', objects: [index, ...objects], headerBytes: 250, requestBytes: 200};
}

const TYPES: {readonly [ending: string]: string} = {
  jpg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  svg: 'image/svg+xml',
  css: 'text/css',
};

/** The shares of a picture's bytes, in percent, for which the goldens record the quality. */
export const GOLDEN_PERCENTS = [5, 10, 15, 20, 25, 35, 50, 75, 90] as const;

export const GOLDEN_PAGES = [
  'gallery',
  'gallery-baseline',
  'gallery-png',
  'gallery-png-interlaced',
  'l06',
  'r02',
] as const;

export const GOLDENS = join(import.meta.dirname, '../renderer/run/quality/goldens/curves.txt');

/**
 * A line for each picture: the page's name and the picture's address, the area in px², the number of scans, and the
 * quality at {@link GOLDEN_PERCENTS}.
 */
export function goldenRows(name: string, page: Page, {objects}: PageQuality): readonly string[] {
  return objects.flatMap((seen, i) => {
    if (seen?.kind !== 'picture') return [];
    const bytes = page.objects[i]?.body?.length ?? 0;
    const qualities = GOLDEN_PERCENTS.map(percent => qualityAt(seen.curve, (bytes * percent) / 100).toFixed(2));
    const cells = [`${name}${page.objects[i]?.url}`, seen.area.toFixed(0), seen.scanEnds.length, ...qualities];
    return [cells.join('\t')];
  });
}

export function readGoldens(): readonly string[] {
  return readFileSync(GOLDENS, 'utf8').trim().split('\n').slice(1);
}
