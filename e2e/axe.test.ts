import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import type {Page} from 'playwright-core';
import {afterAll, afterEach, beforeAll, describe, expect, test} from 'vitest';
import {VIEWS} from '../renderer/run/timeline/views/list.ts';
import {
  DEMO_OF_SEED_1,
  leaveControls,
  markUnderCursor,
  openInWindow,
  openUnmeasuredWindow,
  openView,
  seek,
  whySkipped,
} from './window.ts';

// Every state of the window obeys the rules of axe-core: WCAG 2.2 AA, and its best practice.

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const SIZES = [
  [1280, 720],
  [390, 844],
] as const;

const SIX_PANES = [
  {pipeline: 'tcp'},
  {pipeline: 'tcp', connections: 6},
  {pipeline: 'h2'},
  {pipeline: 'h3'},
  {pipeline: 'sctp'},
  {pipeline: 'catp'},
];

/** The states, and how to reach each from the state with nothing open. `Escape` leaves a state. */
const STATES: readonly (readonly [name: string, reach: (page: Page) => Promise<unknown>])[] = [
  ['the run', page => seek(page, 8)],
  ['the start screen', page => pressed(page, 'Interleave', 'dialog.start')],
  ['the comparison', page => pressed(page, 'Compare', 'dialog.compare')],
  ['the palette', page => dialog(page, 'Control+k')],
  ['the tools', page => pressed(page, 'Tools', '.menu-list')],
  ['the open dialog', page => dialog(page, 'Control+o')],
  ['the record dialog', page => dialog(page, 'r')],
  ['the stories', page => dialog(page, 's')],
  ['the quality of pictures', page => dialog(page, 'q')],
  ['the help', page => dialog(page, '?')],
  ['the advice', page => dialog(page, 'a')],
  ['an experiment', page => opened(page, 'v', '.experiment')],
  ['many seeds', page => opened(page, 'd', '.seeds')],
  ['where the time went', page => opened(page, 'Shift+W', '.why-table')],
  ['an explained loss', page => opened(page, '.', '.cause')],
  ['a packet', page => opened(page, 'i', '.packet')],
  ['an object’s details', page => chosen(page)],
  ['what waits for lost packets', page => seek(page, 8).then(() => opened(page, 'z', '.waiting-picture'))],
  ['presenter mode', page => opened(page, 'p', '.presenting .heading')],
  [
    'presenter mode with its controls',
    page => opened(page, 'p', '.presenting .heading').then(() => page.mouse.move(600, 5)),
  ],
  ['a story’s step', story],
  ['writing a story', page => story(page).then(() => opened(page, 'e', '.story-panel'))],
  ['the window with closed settings', page => page.keyboard.press('c')],
  ...VIEWS.map(
    ({label, key}) =>
      [`the view of ${label}`, (page: Page) => page.keyboard.press(key).then(() => seek(page, 8))] as const,
  ),
  ['the timeline’s choices', page => openView(page)],
  ['a packet’s menu', packetMenu],
  ['the details of what is alike', page => page.locator('.honesty summary').click()],
  ['a wrong number', wrongNumber],
  ['a run of six panes', page => openInWindow({page}, {page: 'gallery', panes: SIX_PANES})],
  ['a refused file', refusedFile],
];

describe.skipIf(whySkipped !== '')(`axe-core finds nothing${whySkipped}`, () => {
  let window: Awaited<ReturnType<typeof openUnmeasuredWindow>>;
  let demoTitle: string | null;
  const title = () => window.page.getByRole('heading', {level: 1}).textContent();
  beforeAll(async () => {
    window = await openUnmeasuredWindow(DEMO_OF_SEED_1);
    demoTitle = await title();
    await window.page.evaluate(AXE);
    // Chromium keeps an old size of a table that is out of sight, so axe-core would report that it covers its neighbour
    await window.page.addStyleTag({content: '.objects-room { content-visibility: visible; }'});
  });
  afterAll(() => window?.close());
  afterEach(async () => {
    await window.page.setViewportSize({width: 1280, height: 720});
    // a step of a story may have something open, too
    for (let i = 0; i < 3; i++) await window.page.keyboard.press('Escape');
    // who leaves a story keeps its run
    if ((await title()) !== demoTitle) await openInWindow(window, DEMO_OF_SEED_1);
  });

  const often = ['the run', 'the start screen', 'presenter mode'];
  test.each(STATES.filter(([name]) => often.includes(name)))('in %s', (_, reach) => expectNothing(reach));
  const others = STATES.filter(([name]) => !often.includes(name));
  test.each(others)('in %s', {tags: ['long']}, (_, reach) => expectNothing(reach));

  test('in the speaker view, without a story and with one', {tags: ['long']}, async () => {
    const {page, shell} = window;
    const speaker = await page.context().newPage();
    await speaker.goto(`${shell.origin}/?speaker`);
    await speaker.evaluate(AXE);
    const expectNone = async () => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await speaker.emulateMedia({colorScheme});
        await speaker.locator(`html[data-theme=${colorScheme}]`).waitFor();
        expect(await speaker.evaluate(violations), colorScheme).toEqual([]);
      }
    };
    await speaker.getByText('The audience’s window shows no story').waitFor();
    await expectNone();
    await page.bringToFront();
    await leaveControls(page);
    await story(page);
    await speaker.getByRole('region', {name: 'notes'}).waitFor();
    await expectNone();
    await speaker.close();
  });

  async function expectNothing(reach: (page: Page) => Promise<unknown>): Promise<void> {
    const {page} = window;
    await reach(page);
    for (const [width, height] of SIZES) {
      await page.setViewportSize({width, height});
      for (const theme of ['light', 'dark'] as const) {
        await page.emulateMedia({colorScheme: theme});
        await page.locator(`html[data-theme=${theme}]`).waitFor();
        expect(await page.evaluate(violations), `${width} px, ${theme}`).toEqual([]);
      }
    }
  }
});

describe.skipIf(whySkipped !== '')(`a screen reader${whySkipped}`, () => {
  let window: Awaited<ReturnType<typeof openUnmeasuredWindow>>;
  beforeAll(async () => {
    window = await openUnmeasuredWindow(DEMO_OF_SEED_1);
  });
  afterAll(() => window?.close());

  test('finds one main heading, and a heading and a named page for each pane', async () => {
    const {page} = window;
    const titles = ['HTTP/1.1 over TCP', 'HTTP over SCTP'];
    expect(await page.getByRole('heading', {level: 1}).allTextContents()).toEqual([
      'HTTP/1.1 over TCP, classic against HTTP over SCTP, classic, 11 streams',
    ]);
    expect(await page.getByRole('heading', {level: 2}).allTextContents()).toEqual(titles);
    const names = await page
      .locator('.pane iframe')
      .evaluateAll(frames => frames.map(frame => frame.getAttribute('title')));
    expect(names).toEqual(titles.map(title => expect.stringMatching(`^gallery, ${title}`)));
    // at the start, presenter mode shows its title card, too
    await seek(page, 1);
    await page.keyboard.press('p');
    expect(await page.getByRole('heading', {level: 1}).count()).toBe(1);
    await page.keyboard.press('Escape');
  });

  test('is told what the dots show when t is at rest, and not while the run plays', async () => {
    const {page} = window;
    await window.measure();
    await seek(page, 8);
    const told =
      /^HTTP\/1\.1 over TCP, classic, at 8\.0 s: \d of 10 pictures recognisable, .*Not yet: .*autumn\.jpg\.$/;
    await expect.poll(async () => (await picturesNow(page))[0]).toMatch(told);
    const before = await picturesNow(page);
    expect(before).toHaveLength(2);
    await page.keyboard.press(' ');
    const t = () => page.getByLabel('t in seconds').inputValue().then(Number);
    await expect.poll(t).toBeGreaterThan(9.5);
    expect(await picturesNow(page)).toEqual(before);
    await page.keyboard.press(' ');
    await expect.poll(() => picturesNow(page)).not.toEqual(before);
  });
});

/** The texts for screen readers below the panes. */
function picturesNow(page: Page): Promise<readonly string[]> {
  return page.locator('.pane ~ .for-readers').allTextContents();
}

/** Chooses the first picture in the table of objects. */
async function chosen(page: Page): Promise<void> {
  await page.locator('.objects button').first().click();
  await page.locator('.objects [aria-pressed=true]').first().waitFor();
}

/** Opens the context menu of a line. */
async function packetMenu(page: Page): Promise<void> {
  await page.keyboard.press('2');
  await seek(page, 8);
  await leaveControls(page);
  const {x, y} = await markUnderCursor(page, /: \d+ % of the bytes/);
  await page.mouse.click(x, y, {button: 'right'});
  await page.locator('.packet-menu').waitFor();
}

async function wrongNumber(page: Page): Promise<void> {
  const streams = page.getByLabel('Streams', {exact: true});
  if (!(await streams.isVisible())) await page.keyboard.press('c');
  await streams.fill('65');
  await page.getByText(/^Streams is 65/).waitFor();
}

async function refusedFile(page: Page): Promise<void> {
  const buffer = Buffer.from('{"path": {"lost": 1}}');
  await page.locator('#open-file').setInputFiles({name: 'bad.json', mimeType: 'application/json', buffer});
  await page.getByRole('alert').waitFor();
}

async function story(page: Page): Promise<void> {
  await dialog(page, 's');
  await page.locator('.story-title').first().click();
  await page.locator('.story-bar').waitFor();
}

/** Presses a button of the toolbar. Resolves when what it opens is there. */
async function pressed(page: Page, name: string, selector: string): Promise<void> {
  await page.locator('.toolbar').getByRole('button', {name, exact: true}).click();
  await page.locator(selector).waitFor();
}

/** Presses the key that opens a dialog. */
async function dialog(page: Page, key: string): Promise<void> {
  await opened(page, key, 'dialog[open]');
}

async function opened(page: Page, key: string, selector: string): Promise<void> {
  await page.keyboard.press(key);
  await page.locator(selector).first().waitFor();
}

/** Runs in the browser. The pages in the panes are not the window's, so frames are not entered. */
async function violations(): Promise<readonly string[]> {
  interface Result {
    readonly violations: readonly {
      readonly id: string;
      readonly nodes: readonly {readonly target: readonly string[]; readonly failureSummary?: string}[];
    }[];
  }
  const {axe} = globalThis as unknown as {readonly axe: {run(root: Document, options: object): Promise<Result>}};
  const values = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
  const found = await axe.run(document, {
    iframes: false,
    resultTypes: ['violations'],
    runOnly: {type: 'tag', values},
  });
  return found.violations.flatMap(({id, nodes}) =>
    nodes.map(({target, failureSummary = ''}) => `${id}: ${target.join(' ')}: ${failureSummary}`),
  );
}
