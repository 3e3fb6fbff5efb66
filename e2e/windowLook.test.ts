// @module-tag long
import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {Page} from 'playwright-core';
import sharp from 'sharp';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import type {Json} from '../app/base/json.ts';
import {findPreset} from '../app/run/scenario/presets.ts';
import {VIEWS} from '../renderer/run/timeline/views/list.ts';
import {comparePictures} from './comparePictures.ts';
import {
  closeSharedBrowser,
  DEMO_OF_SEED_1,
  measured,
  openNewWindow,
  openWindow,
  restartWithPlainText,
  seek,
  whySkipped,
} from './window.ts';

// Pictures of the window in its states, sizes and themes are compared with the goldens in screenshots/window. A person
// has looked at each golden. `INTERLEAVE_GOLDENS=update` takes new goldens: look at them before you commit them. The
// buttons that choose a view are only in the first state, so that a new view changes few goldens.

const folder = join(import.meta.dirname, 'screenshots/window');
const isUpdate = process.env['INTERLEAVE_GOLDENS'] === 'update';

/**
 * The largest share of a picture that may differ from its golden. Other builds of Chromium smooth glyphs differently.
 */
const MOST_DIFFERENT_SHARE = 0.002;

/** The largest share that may differ in the area of a short word. */
const MOST_DENSE = 0.3;

type Theme = 'light' | 'dark';

interface State {
  readonly name: string;
  /** The scenario that is shown; by default the default demo with seed 1. */
  readonly scenario?: Json;
  /** The time that is shown, s. */
  readonly atS?: number;
  /** The sizes of the window, px; by default {@link DESKTOP}. */
  readonly sizes?: readonly (readonly [width: number, height: number])[];
  readonly themes?: readonly Theme[];
  /** Brings the window into the state. */
  readonly reach?: (page: Page) => Promise<unknown>;
}

const DESKTOP = [1280, 720] as const;
const LARGE = [1920, 1080] as const;
const SMALL = [1024, 768] as const;
const PHONE = [390, 844] as const;
const ZOOMED = [640, 360] as const;
const BOTH = ['light', 'dark'] as const;

const ONE_LOST: Json = {rateBps: 2_000_000, rttMs: 100, loss: {down: {packets: [12]}, up: 0}};

const WIFI: Json = {...findPreset('web-wifi-bad')?.scenario, seed: 1, typicalOf: null};

const SIX_PANES: Json = {
  page: 'gallery',
  path: ONE_LOST,
  panes: [
    {pipeline: 'tcp'},
    {pipeline: 'tcp', connections: 6},
    {pipeline: 'h2'},
    {pipeline: 'h3'},
    {pipeline: 'sctp', streams: 11},
    {pipeline: 'sctp', streams: 1},
  ],
};

const ALL_PARTS = 'two-panes';

const STATES: readonly State[] = [
  {name: ALL_PARTS, sizes: [DESKTOP], themes: BOTH},
  {name: ALL_PARTS, sizes: [LARGE, SMALL, PHONE, ZOOMED]},
  {name: 'begin', atS: 0},
  {name: 'complete', atS: 60},
  {name: 'four-panes', scenario: WIFI, atS: 1.5, sizes: [DESKTOP, LARGE, SMALL]},
  {name: 'six-panes', scenario: SIX_PANES, atS: 0.6, sizes: [DESKTOP, LARGE, SMALL]},
  {name: 'waiting', atS: 8.2, reach: page => page.keyboard.press('z')},
  {name: 'settings', themes: BOTH, reach: page => page.keyboard.press('c')},
  ...VIEWS.filter(({name}) => name !== 'percent').map(({name, key}) => ({
    name,
    reach: (page: Page) => page.keyboard.press(key),
  })),
  {name: 'overlaid', reach: page => page.keyboard.press('o')},
  {name: 'explained-loss', atS: 6, themes: BOTH, reach: page => page.keyboard.press('.')},
  {name: 'packet', reach: page => page.keyboard.press('i')},
  {name: 'fairness', reach: page => page.locator('.honesty summary').click()},
  {name: 'help', reach: page => page.keyboard.press('?')},
  {name: 'palette', themes: BOTH, reach: page => page.keyboard.press('Control+k')},
  {name: 'open', reach: page => page.keyboard.press('Control+o')},
  {name: 'record', reach: page => page.keyboard.press('r')},
  {name: 'stories', reach: page => page.keyboard.press('s')},
  {name: 'seeds', reach: page => page.keyboard.press('d')},
  {name: 'why-panel', themes: BOTH, reach: page => page.keyboard.press('Shift+W')},
  {name: 'presenter', themes: BOTH, reach: page => page.keyboard.press('p')},
  {name: 'presenter', sizes: [LARGE, SMALL], reach: page => page.keyboard.press('p')},
  {name: 'presenter-four', scenario: WIFI, atS: 1.5, reach: page => page.keyboard.press('p')},
  {name: 'presenter-six', scenario: SIX_PANES, atS: 0.6, reach: page => page.keyboard.press('p')},
];

describe.skipIf(whySkipped !== '')(`the window looks as before${whySkipped}`, () => {
  beforeAll(restartWithPlainText);
  afterAll(closeSharedBrowser);

  test.each(STATES)('$name', async state => {
    const {name, scenario = DEMO_OF_SEED_1, atS = 12, sizes = [DESKTOP], themes = ['light'], reach} = state;
    const {page, close} = await openWindow(scenario);
    try {
      await page.keyboard.press('c');
      await page.emulateMedia({reducedMotion: 'reduce'});
      if (name !== ALL_PARTS) await page.addStyleTag({content: '.timeline-bar .segments { visibility: hidden; }'});
      await measured(page);
      await seek(page, atS);
      await reach?.(page);
      await expectLooks(page, name, sizes, themes);
    } finally {
      await close();
    }
  });

  test('start', async () => {
    const {page, close} = await openNewWindow(null);
    try {
      await page.emulateMedia({reducedMotion: 'reduce'});
      await page.locator('html[data-state=ready]').waitFor();
      // the demo plays behind the start screen
      await page.addStyleTag({content: '.window > :not(.dialogs) { opacity: 0; }'});
      await expectLooks(page, 'start', [DESKTOP], BOTH);
      await expectLooks(page, 'start', [PHONE], ['light']);
    } finally {
      await close();
    }
  });
});

/** Compares pictures of all sizes and themes with their goldens. */
async function expectLooks(
  page: Page,
  name: string,
  sizes: NonNullable<State['sizes']>,
  themes: readonly Theme[],
): Promise<void> {
  for (const [width, height] of sizes) {
    await page.setViewportSize({width, height});
    for (const theme of themes) {
      await page.emulateMedia({colorScheme: theme});
      await page.locator(`html[data-theme=${theme}]`).waitFor();
      // where it shows no tooltip, and in presenter mode no toolbar
      await page.mouse.move(1, height / 2);
      await expectLook(await stillPicture(page), `${name}-${width}${theme === 'dark' ? '-dark' : ''}`);
    }
  }
}

/** Takes a picture of the window when it stands still: pictures are decoded and texts computed in the background. */
async function stillPicture(page: Page): Promise<Buffer> {
  await page.waitForFunction(() => {
    const small = document.querySelector<HTMLElement>('.thumbnails');
    return small?.checkVisibility({visibilityProperty: true}) !== true || small.dataset['state'] === 'drawn';
  });
  let last = await page.screenshot();
  let equal = 0;
  await expect
    .poll(
      async () => {
        const next = await page.screenshot();
        equal = next.equals(last) ? equal + 1 : 0;
        last = next;
        return equal;
      },
      {interval: 150, timeout: 30_000},
    )
    .toBeGreaterThanOrEqual(4);
  return last;
}

async function expectLook(picture: Buffer, name: string): Promise<void> {
  const path = join(folder, `${name}.webp`);
  // both pictures have the faults of the compression, so that these do not count as differences
  const compressed = await sharp(picture).webp({quality: 40, effort: 6}).toBuffer();
  if (isUpdate) {
    mkdirSync(folder, {recursive: true});
    writeFileSync(path, compressed);
    return;
  }
  expect(existsSync(path), `there is no golden screenshots/window/${name}.webp`).toBe(true);
  const {share, densest, area} = await comparePictures(compressed, readFileSync(path));
  if (share <= MOST_DIFFERENT_SHARE && densest <= MOST_DENSE) return;
  const seen = join(tmpdir(), `interleave-${name}.png`);
  writeFileSync(seen, picture);
  const differing = `${(share * 100).toFixed(2)} % differ, and ${(densest * 100).toFixed(0)} % of an area of 32 × 16 px`;
  expect.fail(`${name}: ${differing}, all in ${JSON.stringify(area)}; what was seen: ${seen}`);
}
