import {existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import sharp from 'sharp';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {program} from '../main/files/program.ts';
import {browsersOf, killBrowsers} from './processes.ts';
import {DEMO_OF_SEED_1, openUnmeasuredWindow, seek, type TestWindow, whySkipped} from './window.ts';

// Movies and pictures from the window, by its dialog.

describe.skipIf(whySkipped !== '')(`the window records${whySkipped}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'interleave-recording-'));
  let window: TestWindow;
  beforeAll(async () => {
    process.env['INTERLEAVE_MOVIES'] = folder;
    // the page has no pictures, because they take time to decode and to measure
    window = await openUnmeasuredWindow({
      ...DEMO_OF_SEED_1,
      page: {synthetic: {objects: 20, objectBytes: 8000}},
    });
  });
  afterAll(async () => {
    await window?.close();
    delete process.env['INTERLEAVE_MOVIES'];
    rmSync(folder, {recursive: true, force: true});
  });

  test('a movie into the folder for movies, without replacing one of the same name', {tags: ['long']}, async () => {
    for (const file of ['demo.webm', 'demo-2.webm']) {
      await fill({
        kind: 'movie',
        format: 'webm',
        size: '640x360',
        'from, s': '7',
        'to, s': '7.5',
        file: 'demo',
      });
      await press('Record');
      await notice(`Recorded ${join(folder, file)}`);
      await window.page.getByRole('button', {name: 'Dismiss'}).click();
    }
    expect(readdirSync(folder).sort()).toEqual(['demo-2.webm', 'demo.webm']);
    // EBML's magic number
    expect(readFileSync(join(folder, 'demo.webm')).readUInt32BE()).toBe(0x1a45dfa3);
  });

  test('without replacing a file that appears meanwhile, and tells the new name once', {
    tags: ['long'],
  }, async () => {
    const {page} = window;
    const times = {'from, s': '7', 'to, s': '8'};
    await fill({kind: 'movie', format: 'mp4', size: '640x360', ...times, file: 'meanwhile'});
    await press('Record');
    // the folder shows that the recording has begun; the page may show that only after a short movie's end
    await expect.poll(() => readdirSync(folder).some(name => name.endsWith('.part')), {interval: 5}).toBe(true);
    writeFileSync(join(folder, 'meanwhile.mp4'), 'mine');
    await notice(`Recorded ${join(folder, 'meanwhile-2.mp4')}`);
    expect(readFileSync(join(folder, 'meanwhile.mp4'), 'utf8')).toBe('mine');
    await page.reload();
    await page.locator('html[data-state=ready]').waitFor();
    expect(await page.getByText(/^Recorded/).count()).toBe(0);
  });

  test('and tells the result only in the window that asked, and not in presenter mode', {tags: ['long']}, async () => {
    const {page} = window;
    await fill({
      kind: 'movie',
      format: 'webm',
      size: '640x360',
      'from, s': '7',
      'to, s': '7.1',
      file: 'talk',
    });
    await press('Record');
    const told = page.getByText(/^Recorded /);
    await told.waitFor();
    await page.keyboard.press('p');
    await page.locator('.presenting').waitFor();
    expect(await told.isVisible()).toBe(false);
    await page.keyboard.press('p');
    await told.waitFor();
    const later = await page.context().newPage();
    await later.goto(window.shell.newAddress());
    await later.locator('html[data-state=ready]').waitFor();
    expect(await later.getByText(/^Recorded /).count()).toBe(0);
    await later.close();
    await page.getByRole('button', {name: 'Dismiss'}).click();
  });

  test('with a dialog that shows the equivalent command if the user asks for it', async () => {
    const fields = {format: 'webm', size: '640x360', 'from, s': '7', 'to, s': ''};
    await fill({kind: 'movie', ...fields, title: 'Our shop'});
    const code = window.page.locator('dialog.record code');
    // the command may have JSON, which an audience cannot read
    expect(await code.isVisible()).toBe(false);
    await window.page.getByText('the same on the command line').click();
    await code.waitFor();
    const command = await code.textContent();
    expect(command).toBe(
      `npx interleave record --scenario n07-movie --set 'page={"synthetic":{"indexBytes":3000,"objects":20,"objectBytes":8000,"headerBytes":250,"requestBytes":200}}' --set seed=1 --size 640x360 --from=7s --title 'Our shop' --out demo.webm`,
    );
    await press('Close');
  });

  test('until the user cancels, and then leaves no file', async () => {
    await fill({kind: 'movie', format: 'mp4', size: '640x360', 'from, s': '', 'to, s': '', file: 'long'});
    await press('Record');
    await window.page.getByText(/Recording frame \d+ of \d+, \d+ s left/).waitFor();
    await window.page.getByRole('button', {name: 'Cancel'}).click();
    await notice('it was cancelled.');
    expect(readdirSync(folder).filter(name => name.startsWith('long'))).toEqual([]);
    await window.page.getByRole('button', {name: 'Dismiss'}).click();
  });

  test('nothing if the recording browser is killed, and the next movie as usual', {tags: ['long']}, async () => {
    const {page} = window;
    const before = browsersOf(process.pid);
    await fill({kind: 'movie', format: 'mp4', size: '640x360', 'from, s': '', 'to, s': '', file: 'killed'});
    await press('Record');
    await page.getByText(/Recording frame \d+ of \d+/).waitFor();
    killBrowsers(browsersOf(process.pid).filter(pid => !before.includes(pid)));
    await notice('the browser ended while pictures were taken.');
    await page.getByRole('button', {name: 'Dismiss'}).click();
    const times = {'from, s': '7', 'to, s': '7.1'};
    await fill({kind: 'movie', format: 'mp4', size: '640x360', ...times, file: 'killed'});
    await press('Record');
    await notice(`Recorded ${join(folder, 'killed.mp4')}`);
    await page.getByRole('button', {name: 'Dismiss'}).click();
    expect(readdirSync(folder).filter(name => name.startsWith('killed'))).toEqual(['killed.mp4']);
  });

  test('even if the page that asked is loaded again', {tags: ['long']}, async () => {
    const {page} = window;
    await fill({kind: 'movie', format: 'mp4', size: '640x360', 'from, s': '', 'to, s': '', file: 'reload'});
    await press('Record');
    await page.getByText(/Recording frame \d+/).waitFor();
    await page.reload();
    await page.getByText(/Recording frame \d+/).waitFor();
    await page.getByRole('button', {name: 'Cancel'}).click();
    await notice('it was cancelled.');
    await page.getByRole('button', {name: 'Dismiss'}).click();
  });

  test.each([
    [{kind: 'movie', 'from, s': 'soon'}, 'from is "soon": must be a number from -86400 to 86400'],
    [{kind: 'movie', 'from, s': '7', 'to, s': '6'}, 'to is 6: must be after the start, 7'],
    [{kind: 'filmstrip', 'at, s': '4, x'}, '‘at’ is 4, x: it must be times in seconds, like 4, 7, 12'],
  ])('nothing if the input is wrong, and says why: %j', async (fields, message) => {
    await fill(fields);
    await window.page.locator('dialog.record [type=submit]').click();
    expect(await window.page.locator('dialog.record .refused').textContent()).toBe(message);
    await press('Close');
  });

  test('no file into another folder', async () => {
    await fill({kind: 'movie', 'from, s': '7', 'to, s': '7.1', file: '../escaped'});
    await press('Record');
    await notice(/name is "\.\.\/escaped": must be a file name/);
    expect(existsSync(join(folder, '../escaped.mp4'))).toBe(false);
    await window.page.getByRole('button', {name: 'Dismiss'}).click();
  });

  test('a still at t', {tags: ['long']}, async () => {
    await seek(window.page, 7);
    await fill({kind: 'still', size: '640x360', scale: '2', file: 'seven'});
    expect(await window.page.getByLabel('at, s').inputValue()).toBe('7');
    const {name, bytes} = await download();
    const {width, height, comments} = await sharp(bytes).metadata();
    expect(comments).toEqual([{keyword: 'Software', text: program()}]);
    expect([name, width, height]).toEqual(['seven.png', 1280, 720]);
  });

  test('a filmstrip', {tags: ['long']}, async () => {
    await fill({kind: 'filmstrip', 'at, s': '6, 7, 12', size: '1280x720', scale: '1', file: 'strip'});
    const scroll = window.page.getByLabel('scroll long pages');
    expect(await scroll.isChecked()).toBe(false);
    await scroll.check();
    const {name, bytes} = await download();
    const {width, height, comments} = await sharp(bytes).metadata();
    expect(comments).toEqual([{keyword: 'Software', text: program()}]);
    expect([name, width]).toEqual(['strip.png', 1280]);
    expect(height).toBeGreaterThan(1000);
  });

  test('the timeline as an SVG that can be drawn', async () => {
    await fill({kind: 'timeline', 'at, s': '7', size: '1280x720', file: 'line'});
    const {name, bytes} = await download();
    const {channels} = await sharp(bytes).stats();
    expect(name).toBe('line.svg');
    expect(bytes.includes(`<metadata>${program()}</metadata></svg>`)).toBe(true);
    expect(channels[0]?.stdev).toBeGreaterThan(10);
  });

  test('the timeline as a PNG that looks like the SVG', async () => {
    const fields = {kind: 'timeline', 'at, s': '7', size: '1280x720', theme: 'dark', file: 'line'};
    await fill({...fields, format: 'svg'});
    const svg = await download();
    await fill({...fields, format: 'png', scale: '2'});
    const png = await download();
    const {width, height, comments} = await sharp(png.bytes).metadata();
    expect([png.name, width, height]).toEqual(['line.png', 2560, 1440]);
    expect(comments).toEqual([{keyword: 'Software', text: program()}]);
    const grey = (picture: Buffer) => sharp(picture).resize(320, 180).greyscale().raw().toBuffer();
    const [a, b] = await Promise.all([grey(svg.bytes), grey(png.bytes)]);
    // the texts are drawn in different typefaces: the mean difference is 4, and 28 to the picture's mirror image
    expect(a.reduce((sum, grey, at) => sum + Math.abs(grey - (b[at] ?? 0)), 0) / a.length).toBeLessThan(8);
  });

  async function fill({kind = 'movie', ...fields}: {readonly [label: string]: string | undefined}): Promise<void> {
    const {page} = window;
    // the previous dialog may still be closing, and would close this one too
    await page.locator('dialog.record').waitFor({state: 'hidden'});
    await page.evaluate(() => new Promise(done => setTimeout(done)));
    await page.keyboard.press('r');
    await page.locator('dialog.record[open]').waitFor();
    await page.getByRole('button', {name: kind, exact: true}).click();
    for (const [label, value = ''] of Object.entries(fields)) {
      const field = page.locator('dialog.record').getByLabel(label, {exact: true});
      const isList = await field.evaluate(element => element instanceof HTMLSelectElement);
      if (isList) await field.selectOption(value);
      else await field.fill(value);
    }
  }

  async function press(name: string): Promise<void> {
    await window.page.locator('dialog.record').getByRole('button', {name, exact: true}).click();
  }

  async function notice(text: string | RegExp): Promise<void> {
    await window.page.locator('.notices').getByText(text).waitFor();
  }

  async function download(): Promise<{readonly name: string; readonly bytes: Buffer}> {
    const [file] = await Promise.all([window.page.waitForEvent('download'), press('Save')]);
    return {name: file.suggestedFilename(), bytes: readFileSync(await file.path())};
  }
});
