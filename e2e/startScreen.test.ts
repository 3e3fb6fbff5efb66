import type {Page} from 'playwright-core';
import {afterEach, describe, expect, test} from 'vitest';
import {findPreset} from '../app/run/scenario/presets.ts';
import {openInWindow, openNewWindow, type TestWindow, whySkipped} from './window.ts';

describe.skipIf(whySkipped !== '')(`a window that is used for the first time${whySkipped}`, () => {
  let window: TestWindow | undefined;
  afterEach(async () => {
    await window?.close();
    window = undefined;
  });
  const open = async (remembered: Parameters<typeof openNewWindow>[0] = null): Promise<Page> => {
    window = await openNewWindow(remembered);
    return window.page;
  };

  test('asks a question in front of a run with one loss; a click beside the question goes to the demo', async () => {
    const page = await open();
    await page.getByRole('heading', {name: 'What does one lost packet stop?'}).waitFor();
    await page.locator('html[data-state=ready]').waitFor();
    // the run of the first door's story plays behind the question
    const names = () => page.locator('.panes .pane-name').allTextContents();
    expect(await names()).toEqual([expect.stringMatching(/^HTTP\/2/), expect.stringMatching(/^HTTP over SCTP/)]);
    expect(await page.locator('.honesty').textContent()).toContain('exactly data packet 40 lost on the way down');
    const t = () => page.locator('.transport input[type=range]').inputValue().then(Number);
    const before = await t();
    await expect.poll(t).toBeGreaterThan(before);
    expect(await page.locator('#first').count()).toBe(0);
    await expectFewControls(page);
    // the question was not answered yet, so it is asked again after a reload
    await page.reload();
    await page.locator('dialog.start').waitFor();
    await page.locator('html[data-state=ready]').waitFor();
    await page.mouse.click(5, 5);
    await page.locator('dialog.start').waitFor({state: 'hidden'});
    await expect.poll(async () => (await names())[0]).toMatch(/^HTTP\/1.1 over TCP/);
    // undo does not lead back to the run behind the screen
    expect(await page.getByRole('button', {name: 'undo', includeHidden: true}).isVisible()).toBe(false);
    await page.getByRole('button', {name: 'Interleave'}).click();
    await page.locator('dialog.start').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('dialog.start').waitFor({state: 'hidden'});
    // the page that is loaded again does not ask again
    await page.reload();
    await page.locator('html[data-state=ready]').waitFor();
    expect(await page.locator('dialog.start').isVisible()).toBe(false);
  });

  test('begins a story at the first door, and it plays by itself until the user takes control', async () => {
    const page = await open();
    const door = page.getByRole('region', {name: 'Watch it'});
    expect(await door.textContent()).toContain('7 steps, 40 s');
    // the test owns the clock, so that it does not take as long as the story
    await page.clock.install();
    await door.getByRole('button', {name: 'Watch it'}).click();
    await page.locator('dialog.start').waitFor({state: 'hidden'});
    const step = () => page.locator('.story-bar').getAttribute('data-step').then(Number);
    const byItself = page.getByRole('button', {name: 'By itself'});
    const comesTo = (k: number) => {
      const later = async () => {
        await page.clock.fastForward(2000);
        return step();
      };
      return expect.poll(later, {interval: 1}).toBe(k);
    };
    await comesTo(1);
    await comesTo(2);
    expect(await byItself.getAttribute('aria-pressed')).toBe('true');
    await page.keyboard.press(' ');
    expect(await byItself.getAttribute('aria-pressed')).toBe('false');
    await page.clock.fastForward(60_000);
    expect(await step()).toBe(2);
    await byItself.click();
    await comesTo(3);
    await page.getByRole('button', {name: 'previous step'}).click();
    expect(await byItself.getAttribute('aria-pressed')).toBe('false');
  });

  test('compares transports at the second door, and the next window opens with this comparison', async () => {
    const page = await open();
    const door = page.getByRole('region', {name: 'Compare transports'});
    for (const label of ['HTTP/2', 'HTTP over SCTP']) await door.getByLabel(label, {exact: true}).uncheck();
    await door.getByLabel('HTTP/3', {exact: true}).uncheck();
    await door.getByLabel('HTTP/1.1 over TCP', {exact: true}).press('Enter');
    await expect.poll(() => door.getByRole('alert').textContent()).toContain('Choose 2 to 6 transports (1 is chosen)');
    await door.getByLabel('HTTP/3', {exact: true}).check();
    await door.getByLabel('on this path').selectOption('lte-slow');
    await door.getByRole('button', {name: 'Compare'}).click();
    await page.locator('dialog.start').waitFor({state: 'hidden'});
    await expect.poll(() => page.locator('.panes .pane').count()).toBe(2);
    await page.locator('html[data-state=ready]').waitFor();
    // it plays at once: at t = 0 both panes are white
    const button = page.getByRole('button', {name: 'pause', exact: true});
    await expect.poll(async () => (await button.isVisible()) || (await atEnd(page))).toBe(true);
    const next = await anotherWindow(window);
    await next.getByLabel('Preset').waitFor();
    expect(await next.locator('dialog.start').isVisible()).toBe(false);
    expect(await next.getByLabel('Rate down', {exact: true}).inputValue()).toBe('1.6');
    expect(await next.locator('.panes .pane').count()).toBe(2);
    await next.close();
  });

  test('opens a page at the third door, and says how a file is opened', async () => {
    const page = await open();
    const door = page.getByRole('region', {name: 'Your page'});
    await door.getByLabel('Its address').fill('/home/me/page.html');
    await door.getByLabel('Its address').press('Enter');
    await expect.poll(() => door.getByRole('alert').textContent()).toContain('open it with ‘Open’ (Ctrl O)');
    await door.locator('input[type=file]').setInputFiles({
      name: 'mine.html',
      mimeType: 'text/html',
      buffer: Buffer.from('<!doctype html><title>mine</title><h1>My page</h1>'),
    });
    await page.locator('dialog.start').waitFor({state: 'hidden'});
    // the page is loaded over the transports that are chosen at the second door
    await expect.poll(() => page.locator('.panes .pane').count()).toBe(4);
    await page.frameLocator('.pane iframe').first().getByText('My page').waitFor();
  });

  test('loads a dropped page over the transports that are chosen at the second door', {tags: ['long']}, async () => {
    const page = await open();
    await page.getByRole('region', {name: 'Compare transports'}).getByLabel('HTTP/2', {exact: true}).uncheck();
    await page.evaluate(() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(['<!doctype html><h1>Dropped</h1>'], 'mine.html', {type: 'text/html'}));
      globalThis.dispatchEvent(new DragEvent('drop', {dataTransfer}));
    });
    await page.locator('dialog.start').waitFor({state: 'hidden'});
    await expect.poll(() => page.locator('.panes .pane').count()).toBe(3);
  });

  test('shows the demo and a notice if the last scenario cannot be read', async () => {
    const page = await open({scenario: {seed: 'five'}});
    await expect
      .poll(() => page.getByRole('alert').first().textContent())
      .toMatch(/^The last scenario cannot be opened/);
    await page.locator('html[data-state=ready]').waitFor();
    expect(await page.locator('dialog.start').isVisible()).toBe(false);
  });

  test('later has at most 25 controls in sight, with two and with four panes; others appear on demand', {
    tags: ['long'],
  }, async () => {
    const page = await open({used: true});
    await page.locator('html[data-state=ready]').waitFor();
    await page.mouse.move(5, 5);
    await expectFewControls(page);
    await openInWindow(window as TestWindow, {...findPreset('web-wifi-bad')?.scenario});
    expect(await page.locator('.pane').count()).toBe(4);
    await expectFewControls(page);
    // undo is in sight because something was opened, and redo is not
    expect(await page.getByRole('button', {name: 'undo'}).isVisible()).toBe(true);
    expect(await page.getByRole('button', {name: 'redo', includeHidden: true}).isVisible()).toBe(false);
    const fold = page.getByRole('button', {name: /^graph of/}).first();
    const opacity = () => fold.evaluate(button => getComputedStyle(button).opacity);
    expect(await opacity()).toBe('0');
    await page.locator('.timeline').hover();
    await expect.poll(opacity).toBe('1');
    await page.mouse.move(5, 5);
    await fold.focus();
    await expect.poll(opacity).toBe('1');
    await page.getByRole('button', {name: 'View', exact: true}).click();
    const t = () => page.getByLabel('t in seconds').inputValue().then(Number);
    for (const name of ['next event', 'to the start', 'load again', 'previous event'])
      await page.getByRole('button', {name, exact: true}).waitFor();
    expect(await t()).toBe(0);
    await page.getByRole('button', {name: 'next event', exact: true}).click();
    await expect.poll(t).toBeGreaterThan(0);
    await page.getByRole('button', {name: 'previous event', exact: true}).click();
    await expect.poll(t).toBe(0);
    await page.keyboard.press('Escape');
    await page.locator('.honesty summary').click();
    await page.getByRole('button', {name: 'Is that luck?'}).click();
    await page.locator('.seeds').first().waitFor();
    expect(await page.locator('.honesty-details').isVisible()).toBe(false);
  });

  test('paints the question before any script has loaded', async () => {
    const page = await open();
    await page.route('**/*.js', () => undefined);
    void page.goto(window?.shell.newAddress() ?? '').catch(() => undefined);
    await page.locator('#first', {hasText: 'What does one lost packet stop?'}).waitFor();
    expect(await page.locator('#window > *').count()).toBe(0);
    await page.unrouteAll({behavior: 'ignoreErrors'});
  });
});

/** Opens another window of the same program, with its settings. */
async function anotherWindow(before: TestWindow | undefined): Promise<Page> {
  if (before === undefined) throw new Error('there is no window');
  const page = await before.page.context().newPage();
  await page.goto(before.shell.newAddress());
  await page.locator('html[data-state=ready]').waitFor();
  await page.getByRole('button', {name: 'Settings'}).click();
  return page;
}

async function atEnd(page: Page): Promise<boolean> {
  const scrubber = page.locator('.transport input[type=range]');
  return (await scrubber.inputValue()) === (await scrubber.getAttribute('max'));
}

/** Expects that 11 to 25 controls are in sight at usual sizes of windows, on a telephone and at 200 % zoom. */
async function expectFewControls(page: Page): Promise<void> {
  for (const [width, height] of [
    [1920, 1080],
    [1024, 768],
    [390, 844],
    [640, 360],
    [1280, 720],
  ] as const) {
    await page.setViewportSize({width, height});
    const controls = await page.evaluate(controlsInSight);
    const where = `${width} × ${height}: ${controls.join('\n')}`;
    expect(controls.length, where).toBeLessThanOrEqual(25);
    expect(controls.length, where).toBeGreaterThan(10);
  }
}

/** In the browser: everything in sight that can be pressed, chosen, typed into or moved, also if Tab skips it. */
function controlsInSight(): string[] {
  const CONTROLS =
    'button, select, input, textarea, summary, a[href], [tabindex], [contenteditable], ' +
    '[role=button], [role=slider], [role=tab], [role=checkbox], [role=link], [role=spinbutton]';
  return [...document.querySelectorAll<HTMLElement>(CONTROLS)]
    .filter(each => each.checkVisibility({visibilityProperty: true, opacityProperty: true}))
    .filter(each => each.closest('[inert]') === null)
    .map(each => each.outerHTML.slice(0, 80));
}
