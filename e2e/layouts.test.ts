import {readdirSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {type Layout, layoutOf} from '../app/page/layouts.ts';
import {SCREEN} from '../app/page/media.ts';
import type {PageSnapshot} from '../app/page/page.ts';
import {openPage} from '../main/pages/openPage.ts';
import {sharedBrowser} from './window.ts';

const PAGES = join(import.meta.dirname, '../fixtures/pages');
/** Other fonts than those with which the layouts were measured may move pictures by this much, px. */
const FONTS_PX = 24;

test('every built-in page with pictures has a layout', async () => {
  const names = readdirSync(PAGES, {withFileTypes: true}).filter(entry => entry.isDirectory());
  for (const {name} of names) {
    const {hash, objects} = await open(name);
    const hasPictures = objects.some(({contentType}) => contentType.startsWith('image/'));
    expect(layoutOf(hash) !== undefined, name).toBe(hasPictures);
  }
});

// the other pages have the HTML of one of these, and pictures of the same sizes
test.each(['gallery', 'gallery-png', 'l06', 'r02', 'today'])(
  'Chromium places the pictures of %s as its layout says',
  async name => {
    const page = await open(name);
    const layout = layoutOf(page.hash);
    const measured = await measuredLayout(page);
    for (const [url, place] of Object.entries(measured)) {
      const known = layout?.[url];
      // the pictures that the layout leaves out are far from the first screen
      if (known === undefined) expect(place[1], url).toBeGreaterThan(2 * SCREEN.height);
      for (const [k, px] of (known ?? []).entries())
        expect(Math.abs(px - (place[k] ?? 0)), `${url} ${place}`).toBeLessThanOrEqual(FONTS_PX);
    }
    expect(Object.keys(layout ?? {}).filter(url => measured[url] === undefined)).toEqual([]);
  },
);

function open(name: string): Promise<PageSnapshot> {
  return openPage({kind: 'named', name}, PAGES);
}

/** Returns where Chromium places the pictures of a page if no scripts run. */
async function measuredLayout({objects}: PageSnapshot): Promise<Layout> {
  const context = await (await sharedBrowser()).newContext({viewport: SCREEN, javaScriptEnabled: false});
  const byAddress = new Map(objects.map(object => [`https://page.test${object.url}`, object]));
  await context.route('**', route => {
    const {body, contentType} = byAddress.get(route.request().url()) ?? {};
    if (body === undefined || body === null) return route.fulfill({status: 404, body: ''});
    return route.fulfill({contentType: contentType ?? '', body: Buffer.from(body)});
  });
  const page = await context.newPage();
  await page.goto('https://page.test/');
  const places = await page.locator('img').evaluateAll(images =>
    images.map(image => {
      const {x, y, width, height} = image.getBoundingClientRect();
      return {address: (image as HTMLImageElement).currentSrc, place: [x, y, width, height] as const};
    }),
  );
  await context.close();
  return Object.fromEntries(places.map(({address, place}) => [byAddress.get(address)?.url ?? address, place]));
}
