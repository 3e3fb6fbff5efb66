import {execFileSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import type {Locator} from 'playwright-core';
import {describe, expect, test} from 'vitest';
import {program} from '../main/files/program.ts';
import {
  DEMO_OF_SEED_1,
  leaveControls,
  oneWindow,
  openUnmeasuredWindow,
  openView,
  seek,
  unfold,
  whySkipped,
} from './window.ts';

// Uses the window as a user does: with keys, sliders and files.

describe.skipIf(whySkipped !== '')(`the window${whySkipped}`, () => {
  const window = oneWindow(() => openUnmeasuredWindow(DEMO_OF_SEED_1));

  test('plays the default demo to its end', async () => {
    const {page} = window;
    await page.locator('.transport').getByLabel('speed').selectOption('20');
    await page.getByRole('button', {name: 'play'}).click();
    await page.locator('.pane-ending', {hasText: 'complete at'}).nth(1).waitFor();
    const endings = await page.locator('.pane-ending').allTextContents();
    expect(endings).toEqual([
      expect.stringMatching(/^complete at 20\.2 s/),
      expect.stringMatching(/^complete at 23\.9 s/),
    ]);
  });

  test('a slider changes the run, and undo and redo go back and forth', async () => {
    const {page} = window;
    const before = await pageTimes();
    await page.getByLabel('Loss, slider').fill('0');
    await expect.poll(pageTimes).not.toEqual(before);
    const without = await pageTimes();
    await page.getByTitle('undo (Ctrl Z)').click();
    await expect.poll(pageTimes).toEqual(before);
    await page.keyboard.press('Control+Shift+Z');
    await expect.poll(pageTimes).toEqual(without);
    await page.keyboard.press('Control+z');
    await expect.poll(pageTimes).toEqual(before);
  });

  test('the timeline and the metrics follow a slider under the pointer', async () => {
    const {page} = window;
    const before = await pageTimes();
    const slider = page.getByLabel('Loss, slider');
    await slider.scrollIntoViewIfNeeded();
    const {x, y, width, height} = (await slider.boundingBox()) ?? {x: 0, y: 0, width: 0, height: 0};
    const picture = () => page.locator('.timeline canvas').first().getAttribute('aria-label');
    await page.mouse.move(x + 0.1 * width, y + height / 2);
    await page.mouse.down();
    const seen = [await picture()];
    for (const share of [0.4, 0.7]) {
      await page.mouse.move(x + share * width, y + height / 2);
      await expect.poll(picture).not.toBe(seen.at(-1));
      expect(await pageTimes()).not.toEqual(before);
      seen.push(await picture());
    }
    await page.mouse.up();
    await page.keyboard.press('Control+z');
    await expect.poll(pageTimes).toEqual(before);
  });

  test('a change from t on alters nothing before t', async () => {
    const {page} = window;
    await seek(page, 8);
    const header = page.locator('.pane-progress').first();
    const then = await header.textContent();
    const before = await pageTimes();
    await page.getByLabel('from t on').check();
    await page.getByLabel('Loss, slider').fill('900');
    await expect.poll(pageTimes).not.toEqual(before);
    expect(await header.textContent()).toBe(then);
    await expect.poll(() => page.locator('.changes').textContent()).toMatch(/8\.0 s loss 18 %/);
    await unfold(page, 'Timed changes');
    await page.getByLabel('remove the change at 8 s').click();
    await expect.poll(pageTimes).toEqual(before);
    await page.getByLabel('for the whole run').check();
  });

  test('a value outside its limits is refused beside its field', async () => {
    const {page} = window;
    const streams = page.getByLabel('Streams', {exact: true});
    const refusal = page.getByText(/^Streams is/);
    const before = await pageTimes();
    const type = async (number: string) => {
      await streams.selectText();
      await streams.pressSequentially(number);
    };
    // the number and the reason stay until the number is corrected
    for (const leave of ['Tab', 'Enter']) {
      await type('65');
      await page.getByText('Streams is 65: must be a number from 1 to 64').waitFor();
      await streams.press(leave);
      await page.keyboard.press('Shift');
      expect(await refusal.textContent()).toBe('Streams is 65: must be a number from 1 to 64');
      expect(await streams.inputValue()).toBe('65');
      expect(await pageTimes()).toEqual(before);
    }
    await streams.press('Escape');
    await expect.poll(() => refusal.count()).toBe(0);
    expect(await streams.inputValue()).toBe('11');
    // a number that another control changes is shown again
    await type('65');
    await streams.press('Enter');
    await page.getByLabel('Streams, slider').fill('12');
    await expect.poll(() => refusal.count()).toBe(0);
    await page.keyboard.press('Control+z');
    await expect.poll(() => streams.inputValue()).toBe('11');
    expect(await pageTimes()).toEqual(before);
    // without its last digit the value is valid again, and the change is one step to undo
    await type('65');
    await refusal.waitFor();
    await streams.press('Backspace');
    await expect.poll(() => refusal.count()).toBe(0);
    await streams.press('Tab');
    expect(await streams.inputValue()).toBe('6');
    await page.getByTitle('undo (Ctrl Z)').click();
    await expect.poll(() => streams.inputValue()).toBe('11');
    expect(await pageTimes()).toEqual(before);
  });

  test('the loss has limits in percent, may have a decimal comma, and can apply to data packets only', async () => {
    const {page} = window;
    const loss = page.getByRole('textbox', {name: 'Loss', exact: true});
    const honesty = page.locator('.honesty');
    await loss.fill('200');
    await page.getByText('Loss is 200 %: must be a number from 0 to 100 %').waitFor();
    await loss.fill('5,5');
    await loss.press('Enter');
    await expect.poll(() => loss.inputValue()).toBe('5.5');
    await honesty
      .getByText('packet k of a direction draws the same fate on every side, whatever it carries')
      .waitFor({state: 'attached'});
    await unfold(page, 'Burst loss, queue');
    await page.getByLabel('Loss applies to', {exact: true}).selectOption('packets with data');
    await honesty
      .getByText('the k-th packet with data of a direction draws the same fate on every side')
      .waitFor({state: 'attached'});
    expect(await loss.inputValue()).toBe('5.5');
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    await honesty.getByText('whatever it carries').waitFor({state: 'attached'});
    await expect.poll(() => loss.inputValue()).toBe('4.3');
  });

  test('a single setting of burst loss can be changed from t on', async () => {
    const {page} = window;
    await unfold(page, 'Burst loss, queue');
    await page.getByLabel('Loss, model').selectOption('gilbert-elliott');
    await page.getByLabel('scrub, milliseconds').fill('5000');
    await page.getByLabel('from t on').check();
    await page.getByLabel('A burst ends', {exact: true}).fill('50');
    await page.getByLabel('A burst ends', {exact: true}).press('Enter');
    await expect
      .poll(() => page.locator('.changes').textContent())
      .toMatch(/5\.0 s loss 2\.56 % in bursts of 2 packets on average/);
    expect(await page.locator('.refused').count()).toBe(0);
    await page.getByLabel('for the whole run').check();
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    await expect.poll(() => page.getByRole('textbox', {name: 'Loss', exact: true}).inputValue()).toBe('4.3');
  });

  test('keys work although the focus is on a slider or select that was used with the pointer', async () => {
    const {page} = window;
    const seed = page.getByLabel('Seed', {exact: true});
    for (const label of ['Loss, slider', 'scrub, milliseconds']) {
      const slider = page.getByLabel(label);
      await drag(slider, [0.3, 0.2]);
      await expect.poll(() => slider.evaluate(element => element === document.activeElement)).toBe(true);
      await page.keyboard.press(' ');
      await page.getByRole('button', {name: 'pause'}).waitFor();
      await page.keyboard.press(' ');
      await page.getByRole('button', {name: 'play'}).waitFor();
      const before = Number(await seed.inputValue());
      await page.keyboard.press('n');
      await expect.poll(() => seed.inputValue()).toBe(String(before + 1));
      await page.keyboard.press('Control+z');
    }
    const scrubber = page.getByLabel('scrub, milliseconds');
    // Page Up, which a presenter's remote control sends, goes back
    const at = await scrubber.inputValue();
    await page.keyboard.press('PageUp');
    const turned = await scrubber.inputValue();
    expect(Number(turned)).toBeLessThan(Number(at));
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('PageUp');
    expect(Number(await scrubber.inputValue())).toBeGreaterThan(Number(turned));
    // undo the change that the slider of the loss has made
    await page.keyboard.press('Control+z');
    const speed = page.locator('.transport').getByLabel('speed');
    await speed.click();
    await speed.selectOption('5');
    await page.keyboard.press('Home');
    expect(await page.getByLabel('t in seconds').inputValue()).toBe('0.00');
    await speed.selectOption('1');
  });

  test('Space plays after a click on a button, but presses a button that Tab has reached', async () => {
    const {page} = window;
    const overlaid = page.getByRole('button', {name: 'overlaid'});
    const isPressed = () => overlaid.getAttribute('aria-pressed');
    await openView(page);
    await overlaid.click();
    expect(await isPressed()).toBe('true');
    // after another key the browser shows the focus again
    for (const key of [' ', '2', ' ']) await page.keyboard.press(key);
    await page.getByRole('button', {name: 'play'}).waitFor();
    expect(await isPressed()).toBe('true');
    await page.keyboard.press(' ');
    await page.getByRole('button', {name: 'pause'}).waitFor();
    await page.keyboard.press(' ');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press(' ');
    await expect.poll(isPressed).toBe('false');
    await page.keyboard.press('Escape');
    await page.getByRole('button', {name: 'play'}).waitFor();
  });

  test('the arrow keys switch between two radio buttons that Tab has reached', async () => {
    const {page} = window;
    await page.getByLabel('for the whole run').click();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => page.getByLabel('from t on').isChecked()).toBe(true);
    await page.getByLabel('for the whole run').check();
  });

  test('sliders say their value with its unit', async () => {
    const {page} = window;
    await seek(page, 8);
    const said = (slider: Locator) => slider.getAttribute('aria-valuetext');
    expect(await said(page.getByLabel('Loss, slider'))).toBe('4.3 %');
    expect(await said(page.getByLabel('Rate, slider'))).toBe('56 kbit/s');
    expect(await said(page.getByLabel('Seed, slider'))).toBe('1');
    expect(await said(page.getByLabel('scrub, milliseconds'))).toBe('8.00 s');
    expect(await said(page.locator('.timeline-cursor'))).toBe('8.00 s');
  });

  test('loaded again, the page shows the scenario, the view and t as they were', async () => {
    const {page} = window;
    await page.keyboard.press('n');
    await page.keyboard.press('3');
    await seek(page, 8);
    const before = await pageTimes();
    await page.reload();
    expect(await pageTimes()).toEqual(before);
    expect(await page.getByLabel('Seed', {exact: true}).inputValue()).toBe('2');
    expect(await page.getByLabel('t in seconds').inputValue()).toBe('8.00');
    expect(await page.getByRole('button', {name: 'waterfall'}).getAttribute('aria-pressed')).toBe('true');
    await page.getByRole('button', {name: 'play'}).waitFor();
    await page.keyboard.press('2');
    await page.getByLabel('Seed, slider').press('Home');
    await expect.poll(() => page.getByLabel('Seed', {exact: true}).inputValue()).toBe('1');
  });

  test('a window requests nothing that does not exist', async () => {
    const page = await window.page.context().newPage();
    const failures: string[] = [];
    page.on('response', response => {
      if (!response.ok()) failures.push(response.url());
    });
    await page.goto(window.shell.newAddress());
    await page.locator('html[data-state=ready]').waitFor();
    expect(failures).toEqual([]);
    // if a page names no icon, a browser requests one only once, and may have done so earlier
    expect(await page.locator('link[rel=icon]').getAttribute('href')).toMatch(/^data:/);
    await page.close();
  });

  test('a drag during playing, from t on, does not alter what was shown already, and is one step to undo', async () => {
    const {page} = window;
    const before = await pageTimes();
    const {mouse} = page;
    const slider = page.getByLabel('Loss, slider');
    const played = () => page.getByLabel('t in seconds').inputValue().then(Number);
    await page.getByLabel('from t on').check();
    await seek(page, 3);
    await slider.scrollIntoViewIfNeeded();
    const {x, y, width, height} = (await slider.boundingBox()) ?? {x: 0, y: 0, width: 0, height: 0};
    await page.locator('.transport').getByLabel('speed').selectOption('5');
    await page.keyboard.press(' ');
    await mouse.move(x + 0.3 * width, y + height / 2);
    await mouse.down();
    for (const share of [0.4, 0.6, 0.9]) {
      const tS = await played();
      await expect.poll(played).toBeGreaterThan(tS + 1);
      await mouse.move(x + share * width, y + height / 2);
    }
    await mouse.up();
    await page.keyboard.press(' ');
    const times = (await page.locator('.changes li').allTextContents()).map(Number.parseFloat);
    expect(times.length).toBeGreaterThanOrEqual(4);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(2.9);
    await page.keyboard.press('Control+z');
    await expect.poll(() => page.locator('.changes li').count()).toBe(0);
    await expect.poll(pageTimes).toEqual(before);
    await page.getByLabel('for the whole run').check();
    await page.locator('.transport').getByLabel('speed').selectOption('1');
  });

  test('a change that is made between two milliseconds applies at that t', async () => {
    const {page} = window;
    const before = await pageTimes();
    await page.getByLabel('from t on').check();
    await seek(page, 8.0005);
    await page.getByLabel('Loss, slider').fill('900');
    await page.getByLabel('Loss, slider').blur();
    await expect.poll(() => page.locator('.changes li').count()).toBe(1);
    expect(await page.getByLabel('Loss', {exact: true}).inputValue()).toBe('18');
    await page.keyboard.press('Control+z');
    await page.getByLabel('for the whole run').check();
    await expect.poll(pageTimes).toEqual(before);
  });

  test('is driven by keys alone', async () => {
    const {page} = window;
    await leaveControls(page);
    await page.keyboard.press('End');
    await page.locator('.pane-ending', {hasText: 'complete at'}).nth(1).waitFor();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    expect(Number(await page.getByLabel('t in seconds').inputValue())).toBeGreaterThan(0);
    const views = ['losses', 'percent', 'waterfall', 'packets', 'cwnd', 'RTT', 'queue'] as const;
    for (const index of [2, 3, 4, 5, 0, 1]) {
      await page.keyboard.press(String(index + 1));
      const button = page.getByRole('button', {name: views[index] ?? '', exact: true});
      await expect.poll(() => button.getAttribute('aria-pressed')).toBe('true');
      expect(await page.locator('.timeline-bar .segments [aria-pressed=true]').count()).toBe(1);
    }
    for (const isOverlaid of ['true', 'false']) {
      await page.keyboard.press('o');
      const button = page.locator('.timeline-bar button', {hasText: 'overlaid'});
      await expect.poll(() => button.getAttribute('aria-pressed')).toBe(isOverlaid);
    }
    for (const theme of ['dark', 'light']) {
      await page.keyboard.press('t');
      await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe(theme);
    }
    const speed = page.locator('.transport').getByLabel('speed');
    await speed.selectOption('1');
    const usual = Number(await speed.inputValue());
    await page.keyboard.press('[');
    await expect.poll(async () => Number(await speed.inputValue())).toBeLessThan(usual);
    await page.keyboard.press(']');
    await expect.poll(async () => Number(await speed.inputValue())).toBe(usual);
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({state: 'hidden'});
    await page.keyboard.press('p');
    await page.locator('.presenting').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.presenting').waitFor({state: 'detached'});
    const seed = page.getByLabel('Seed', {exact: true});
    await page.keyboard.press('n');
    await expect.poll(() => seed.inputValue()).toBe('2');
    await page.keyboard.press('Control+z');
    await expect.poll(() => seed.inputValue()).toBe('1');
  });

  test('presents without the controls until the user asks for them', {tags: ['long']}, async () => {
    const {page} = window;
    const bars = [page.locator('.toolbar'), page.locator('.transport')];
    const areShown = () => Promise.all(bars.map(bar => bar.isVisible()));
    const pointer = () =>
      page
        .locator('.pane-glass')
        .first()
        .evaluate(element => getComputedStyle(element).cursor);
    await page.keyboard.press('p');
    await expect.poll(areShown).toEqual([false, false]);
    expect(await pointer()).toBe('none');
    await page.mouse.move(640, 360);
    expect(await areShown()).toEqual([false, false]);
    expect(await pointer()).not.toBe('none');
    await page.mouse.move(640, 719);
    await expect.poll(areShown).toEqual([true, true]);
    await expect.poll(areShown).toEqual([false, false]);
    expect(await pointer()).toBe('none');
    const summoned = () => page.locator('html').getAttribute('data-summoned');
    for (const key of [' ', ' ', 'ArrowRight', 'Shift+ArrowLeft', ']', '[', '3', '2', 'o', 'o', 'm', 'm', '+', '0']) {
      await page.keyboard.press(key);
      expect(await summoned()).toBe('nothing');
    }
    await page.keyboard.press('f');
    expect(await summoned()).toBe('controls');
    await page.keyboard.press('f');
    await expect.poll(areShown).toEqual([true, true]);
    const present = page.getByRole('button', {name: 'Present'});
    await present.click();
    await page.locator('.presenting').waitFor({state: 'detached'});
    expect(await areShown()).toEqual([true, true]);
    // Space plays although a button was clicked last
    await present.click();
    await page.locator('.presenting').waitFor();
    await page.keyboard.press(' ');
    await page.keyboard.press(' ');
    expect(await page.locator('.presenting').count()).toBe(1);
    await page.keyboard.press('Escape');
    await page.locator('.presenting').waitFor({state: 'detached'});
  });

  test('presenter mode gives back the settings as they were', async () => {
    const {page} = window;
    const settings = page.getByLabel('settings and metrics');
    for (const isOpen of [false, true]) {
      await page.keyboard.press('c');
      for (const leave of ['p', 'Escape']) {
        await page.keyboard.press('p');
        await page.locator('.presenting').waitFor();
        await expect.poll(() => settings.isVisible()).toBe(false);
        await page.keyboard.press(leave);
        await page.locator('.presenting').waitFor({state: 'detached'});
        await expect.poll(() => settings.isVisible()).toBe(isOpen);
      }
    }
  });

  test('‘load again’ plays from the start again', async () => {
    const {page} = window;
    await seek(page, 15);
    await openView(page);
    await page.getByRole('button', {name: 'load again', exact: true}).click();
    await page.getByRole('button', {name: 'pause'}).click();
    const tS = Number(await page.getByLabel('t in seconds').inputValue());
    expect(tS).toBeLessThan(15);
  });

  test('the field of t ignores text that is no time, and accepts a decimal comma', async () => {
    const {page} = window;
    await seek(page, 8);
    const field = page.getByLabel('t in seconds');
    for (const typed of ['', ' ', 'abc']) {
      await field.fill(typed);
      await field.press('Enter');
      expect(await field.inputValue()).toBe('8.00');
    }
    await field.fill('9');
    await field.blur();
    expect(await field.inputValue()).toBe('8.00');
    await field.fill('4,5');
    await field.press('Enter');
    expect(await field.inputValue()).toBe('4.50');
  });

  test('Caps Lock does not count as Shift', async () => {
    const {page} = window;
    const seed = page.getByLabel('Seed', {exact: true});
    const before = Number(await seed.inputValue());
    const press = (init: {readonly key: string; readonly ctrlKey?: boolean; readonly shiftKey?: boolean}) =>
      page.evaluate(init => document.body.dispatchEvent(new KeyboardEvent('keydown', {...init, bubbles: true})), init);
    await press({key: 'N'});
    await expect.poll(() => seed.inputValue()).toBe(String(before + 1));
    await press({key: 'Z', ctrlKey: true});
    await expect.poll(() => seed.inputValue()).toBe(String(before));
    await press({key: 'z', ctrlKey: true, shiftKey: true});
    await expect.poll(() => seed.inputValue()).toBe(String(before + 1));
    await press({key: 'Z', ctrlKey: true});
  });

  test('a pane that is switched to another pipeline and back has its settings again', async () => {
    const {page} = window;
    await unfold(page, 'Pipeline, pictures, buffers', 1);
    const pipeline = page.getByLabel('Pipeline').nth(1);
    const before = await pageTimes();
    expect(await page.getByLabel('Streams', {exact: true}).inputValue()).toBe('11');
    await pipeline.selectOption('tcp');
    await page.getByLabel('Streams', {exact: true}).waitFor({state: 'detached'});
    await pipeline.selectOption('sctp');
    await expect.poll(() => page.getByLabel('Streams', {exact: true}).inputValue()).toBe('11');
    expect(await pageTimes()).toEqual(before);
  });

  test('an added pane has the pipeline that is chosen for it', async () => {
    const {page} = window;
    await page.getByRole('button', {name: 'Add a pane'}).click();
    const offers = page.locator('.side .menu-list button');
    expect(await offers.count()).toBe(await page.getByLabel('Pipeline').first().locator('option').count());
    await offers.filter({hasText: 'HTTP/3'}).click();
    const titles = () => page.locator('.pane h2, .pane [role=heading]').allTextContents();
    await expect.poll(titles).toEqual(['HTTP/1.1 over TCP', 'HTTP over SCTP', 'HTTP/3']);
    await page.keyboard.press('Control+z');
    await expect.poll(async () => (await titles()).length).toBe(2);
  });

  test('a dialog takes all keys, and Escape closes it and nothing behind it', async () => {
    const {page} = window;
    const seed = page.getByLabel('Seed', {exact: true});
    const before = await seed.inputValue();
    await page.keyboard.press('p');
    await page.locator('.presenting').waitFor();
    for (const key of ['?', 'r']) {
      await page.keyboard.press(key);
      await page.getByRole('dialog').waitFor();
      for (const other of ['n', 't', 'p']) await page.keyboard.press(other);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({state: 'hidden'});
      expect(await page.locator('.presenting').count()).toBe(1);
      expect(await page.locator('html').getAttribute('data-theme')).toBe('light');
    }
    await page.keyboard.press('Escape');
    await page.locator('.presenting').waitFor({state: 'detached'});
    expect(await seed.inputValue()).toBe(before);
  });

  test('copies the command and the link, and says so', async () => {
    const {page} = window;
    for (const [label, start] of [
      ['Copy command', /^npx interleave run /],
      ['Copy link', /^interleave:\/\/scenario\//],
    ] as const) {
      const button = page.locator('.copy', {hasText: label});
      await page.getByRole('button', {name: 'Tools'}).click();
      await button.click();
      await button.getByText('Copied').waitFor();
      const field = page.getByLabel('t in seconds');
      await field.fill('');
      await page.keyboard.press('Control+v');
      expect(await field.inputValue()).toMatch(start);
      await field.blur();
      await button.getByText('Copied').waitFor({state: 'detached'});
    }
  });

  test('a saved scenario opens as the same run', async () => {
    const {page} = window;
    const before = await pageTimes();
    const saving = page.waitForEvent('download');
    await page.keyboard.press('Control+s');
    const file = await (await saving).path();
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      program: program(),
      page: 'gallery',
      seed: 1,
    });
    await page.keyboard.press('n');
    await expect.poll(pageTimes).not.toEqual(before);
    await page.locator('#open-file').setInputFiles({
      name: 'saved.json',
      mimeType: 'application/json',
      buffer: readFileSync(file),
    });
    await expect.poll(pageTimes).toEqual(before);
  });

  test('saves a pane for other tools, as the command line does', {tags: ['long']}, async () => {
    const {page} = window;
    await unfold(page, 'Files');
    const files = page.locator('.run-files').nth(1);
    for (const [button, name, args] of [
      ['qlog server', 'interleave-seed-1-pane-2-server.sqlog', ['qlog']],
      ['HAR', 'interleave-seed-1-pane-2.har', ['har', '--content']],
    ] as const) {
      const saving = page.waitForEvent('download');
      await files.getByRole('button', {name: button}).click();
      const file = await saving;
      expect(file.suggestedFilename()).toBe(name);
      const scenario = ['--scenario', 'n07-movie', '--set', 'seed=1', '--pane', '2', '--out', '-'];
      const script = join(import.meta.dirname, '../main/cli/interleave.mjs');
      const written = execFileSync(process.execPath, [script, ...args, ...scenario], {encoding: 'utf8'});
      expect(readFileSync(await file.path(), 'utf8')).toBe(written);
    }
  });

  test('a qlog of HTTP/3 is the command line’s, byte for byte', {tags: ['long']}, async () => {
    const {page} = window;
    const kept = page.waitForEvent('download');
    await page.keyboard.press('Control+s');
    const before = readFileSync(await (await kept).path());
    const scenario = '{"panes": [{"pipeline": "tcp"}, {"pipeline": "h3"}], "path": {"loss": 0.05}, "seed": 6}';
    const open = (name: string, buffer: Buffer) =>
      page.locator('#open-file').setInputFiles({name, mimeType: 'application/json', buffer});
    await open('h3.json', Buffer.from(scenario));
    await expect.poll(() => page.getByLabel('Seed', {exact: true}).inputValue()).toBe('6');
    await page.locator('html[data-state=ready]').waitFor();
    const saving = page.waitForEvent('download');
    await page.locator('.run-files').nth(1).getByRole('button', {name: 'qlog server'}).click();
    const saved = readFileSync(await (await saving).path(), 'utf8');
    const settings = ['panes=[{"pipeline":"tcp"},{"pipeline":"h3"}]', 'path.loss=0.05', 'seed=6'];
    const script = join(import.meta.dirname, '../main/cli/interleave.mjs');
    const args = ['qlog', ...settings.flatMap(each => ['--set', each]), '--pane', '2', '--out', '-'];
    expect(saved).toBe(execFileSync(process.execPath, [script, ...args], {encoding: 'utf8'}));
    expect(saved).toContain('"acked_ranges":[[');
    await open('before.json', before);
    await expect.poll(() => page.getByLabel('Seed', {exact: true}).inputValue()).toBe('1');
    await page.locator('html[data-state=ready]').waitFor();
  });

  test('a dropped file and a pasted link are opened', async () => {
    const {page} = window;
    const before = await pageTimes();
    await page.locator('.stage').evaluate(stage => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(['{"seed": 7, "path": {"loss": 0.05}}'], 'seven.json'));
      stage.dispatchEvent(new DragEvent('drop', {dataTransfer, bubbles: true, cancelable: true}));
    });
    const seed = page.getByLabel('Seed', {exact: true});
    await expect.poll(() => seed.inputValue()).toBe('7');
    await expect.poll(pageTimes).not.toEqual(before);
    await page.locator('html[data-state=ready]').waitFor();
    const dropped = await pageTimes();
    await page.getByRole('button', {name: 'Tools'}).click();
    await page.locator('.copy', {hasText: 'Copy link'}).click();
    await page.locator('.copy').getByText('Copied').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('n');
    await expect.poll(pageTimes).not.toEqual(dropped);
    await page.keyboard.press('Control+v');
    await expect.poll(() => seed.inputValue()).toBe('7');
    await expect.poll(pageTimes).toEqual(dropped);
  });

  test('the errors of a bad file are listed, and the scenario stays', async () => {
    const {page} = window;
    const before = await pageTimes();
    const buffer = Buffer.from('{"path": {"lost": 1, "rttMs": -5}, "panes": []}');
    await page.locator('#open-file').setInputFiles({name: 'bad.json', mimeType: 'application/json', buffer});
    const notice = page.getByRole('alert');
    await notice.waitFor();
    const text = await notice.textContent();
    for (const part of ['bad.json', 'path.lost', 'path.rttMs is -5', 'panes']) expect(text).toContain(part);
    await page.getByRole('button', {name: 'Dismiss'}).click();
    expect(await pageTimes()).toEqual(before);
  });

  test('a scenario whose page is missing changes nothing', async () => {
    const {page} = window;
    await seek(page, 8);
    const before = await pageTimes();
    const buffer = Buffer.from('{"page": "/no/such/folder", "seed": 99}');
    await page.locator('#open-file').setInputFiles({name: 'gone.json', mimeType: 'application/json', buffer});
    await page
      .getByRole('alert')
      .getByText(/^gone\.json cannot be opened: page: .no.such.folder/)
      .waitFor();
    expect(await pageTimes()).toEqual(before);
    expect(await page.getByLabel('Seed', {exact: true}).inputValue()).not.toBe('99');
    expect(await page.getByLabel('t in seconds').inputValue()).toBe('8.00');
    await page.getByRole('button', {name: 'Dismiss'}).click();
  });

  /**
   * Presses the pointer at the first of these shares of the slider's width, moves it to the others, and releases it.
   */
  async function drag(slider: Locator, [first = 0, ...others]: readonly number[]): Promise<void> {
    const {mouse} = window.page;
    await slider.scrollIntoViewIfNeeded();
    const {x, y, width, height} = (await slider.boundingBox()) ?? {x: 0, y: 0, width: 0, height: 0};
    await mouse.move(x + first * width, y + height / 2);
    await mouse.down();
    for (const share of others) await mouse.move(x + share * width, y + height / 2);
    await mouse.up();
  }

  /**
   * Returns the page times of the scenario's own run. Waits for it, because the previous run stays on screen until
   * then.
   */
  async function pageTimes(): Promise<readonly string[]> {
    await window.page.locator('html[data-state=ready]').waitFor();
    return window.page.locator('.metrics tr', {hasText: 'page time T'}).locator('td').allTextContents();
  }
});
