import {describe, expect, test} from 'vitest';
import {DEMO_OF_SEED_1, measured, oneWindow, openView, openWindow, seek, unfold, whySkipped} from './window.ts';

// Presenter mode before an audience: what is on the stage, and what keys do there.

describe.skipIf(whySkipped !== '')(`the stage${whySkipped}`, () => {
  const window = oneWindow(async () => {
    const opened = await openWindow(DEMO_OF_SEED_1);
    await measured(opened.page);
    return opened;
  });

  test('says what is compared, where and how fairly, and what each mark means', async () => {
    const {page} = window;
    await present(12);
    const heading = page.locator('.heading');
    for (const words of [
      /HTTP\/1.1 over TCP, classic against HTTP over SCTP, classic, 11 streams/,
      /page gallery: 104 KB, 10 pictures/,
      /56 kbit\/s, RTT 1080 ms, 4\.3 % of packets lost in both directions \(The movies of Natarajan et al\., 2007\)/,
      /seed 1\b/,
      /same page, path, seed and profile ‘classic’ \(stacks of 2007\); only the transport differs/,
      /t = 12\.00 s/,
    ]) {
      expect(await heading.innerText()).toMatch(words);
    }
    const legend = () => page.locator('.legend li').allInnerTexts();
    expect(await legend()).toContain('lost from the server: data');
    expect(await legend()).toContain('page complete');
    await page.keyboard.press('4');
    await expect.poll(legend).toContain('acknowledged by the browser');
    expect(await legend()).not.toContain('page complete');
    await page.keyboard.press('2');
    await leave();
  });

  test('nothing is cut or overlaps at the sizes of projectors, with two panes', async () => {
    const {page} = window;
    await present(12);
    for (const [width, height] of [
      [1280, 720],
      [1920, 1080],
      [1024, 768],
    ] as const) {
      await page.setViewportSize({width, height});
      const parts = ['.window > .lesson', '.heading', '.panes', '.timeline', '.legend'];
      let bottom = 0;
      for (const part of parts) {
        const box = await page.locator(part).boundingBox();
        expect(box?.y ?? -1, part).toBeGreaterThanOrEqual(bottom - 0.5);
        expect(box?.height ?? 0, part).toBeGreaterThan(15);
        bottom = (box?.y ?? 0) + (box?.height ?? 0);
        const isWide = await page.locator(part).evaluate(each => each.scrollWidth > each.clientWidth);
        expect(isWide, part).toBe(false);
      }
      const cut = await page
        .locator('.pane-told, .pane-caption, .lesson > span')
        .evaluateAll(lines => lines.filter(line => line.scrollWidth > line.clientWidth).map(line => line.textContent));
      expect(cut, `${width} px wide`).toEqual([]);
      expect(bottom).toBeLessThanOrEqual(height);
    }
    await page.setViewportSize({width: 1280, height: 720});
    await leave();
  });

  test('each side says what it shows and has lost at t, and nothing moves when the text changes', async () => {
    const {page} = window;
    const places = () =>
      page
        .locator('.lesson, .pane-page, .pane-told, .timeline, .legend')
        .evaluateAll(parts => parts.map(part => JSON.stringify(part.getBoundingClientRect())));
    const told = () => page.locator('.pane-told').allInnerTexts();
    await present(12);
    expect(await told()).toEqual([
      '5 of 10 pictures recognisable, 5 good, 4 complete; page not complete yet',
      'lost: 3 with data, 2 without; the one at 5.4 s held up 2 objects for 2.4 s',
      '10 of 10 pictures recognisable, 5 good, 0 complete; page not complete yet',
      'lost: 1 with data, 4 without; the one at 6.1 s held up planet.jpg for 0.43 s',
    ]);
    expect(await page.locator('.lesson').innerText()).toBe(
      'HTTP over SCTP shows 5 pictures more; HTTP/1.1 over TCP has 4 more complete.',
    );
    const before = await places();
    for (const key of ['ArrowRight', 'ArrowLeft', 'Home', 'End']) {
      await page.keyboard.press(key);
      expect(await places(), key).toEqual(before);
    }
    expect(await told()).toContainEqual(expect.stringContaining('page complete at 20.2 s'));
    await leave();
  });

  test('the timeline shows nothing after t until a key reveals the rest', {tags: ['long']}, async () => {
    const {page} = window;
    await present(12);
    const [shown, later] = [await ink(0.2, 0.45), await ink(0.55, 0.95)];
    expect(shown).toBeGreaterThan(50);
    expect(later).toBe(0);
    await page.keyboard.press('u');
    await expect.poll(() => ink(0.55, 0.95)).toBeGreaterThan(50);
    expect(await page.locator('.sentence').innerText()).toMatch(
      /Whole page: HTTP\/1.1 over TCP at 20\.2 s, HTTP over SCTP at 23\.9 s/,
    );
    // F5 keeps this choice, which applies only to presenter mode
    await page.reload();
    await page.locator('html[data-state=ready]').waitFor();
    await measured(page);
    await seek(page, 12);
    await page.keyboard.press('u');
    await expect.poll(() => ink(0.55, 0.95)).toBe(0);
    await page.keyboard.press('u');
    await page.keyboard.press('p');
    await expect.poll(() => ink(0.55, 0.95)).toBeGreaterThan(50);
    await page.keyboard.press('u');
    await expect.poll(() => ink(0.55, 0.95)).toBe(0);
    await leave();
  });

  test('there is a card at the start and one at the end', {tags: ['long']}, async () => {
    const {page} = window;
    await present(0);
    const [title, end] = [page.locator('.card-title'), page.locator('.card-results')];
    await title.waitFor();
    expect(await title.innerText()).toMatch(
      /HTTP\/1.1 over TCP, classic\s+against\s+HTTP over SCTP, classic, 11 streams/,
    );
    await page.keyboard.press('ArrowRight');
    await title.waitFor({state: 'hidden'});
    expect(await end.isVisible()).toBe(false);
    await page.keyboard.press('End');
    await end.waitFor();
    expect((await end.innerText()).replaceAll('\u00a0', ' ').split('\n')).toEqual([
      'All 10 pictures recognisable: HTTP/1.1 over TCP at 19.0 s, HTTP over SCTP at 11.6 s; HTTP over SCTP is 7.4 s ahead.',
      'Whole page: HTTP/1.1 over TCP at 20.2 s, HTTP over SCTP at 23.9 s; HTTP/1.1 over TCP is 3.7 s ahead.',
      '',
      expect.stringMatching(
        /^HTTP\/1.1 over TCP is 3.72 s ahead of HTTP over SCTP: 2.27 s less of recovery by acknowledgements, /,
      ),
    ]);
    await page.keyboard.press('ArrowLeft');
    await end.waitFor({state: 'hidden'});
    await leave();
  });

  test('Page Down and Page Up go from stop to stop, and b makes the screen black', async () => {
    const {page} = window;
    const t = () =>
      page
        .locator('.heading-clock')
        .innerText()
        .then(text => Number(/[\d.]+ s/.exec(text)?.[0].slice(0, -2)));
    await present(0);
    // the first press plays to the next stop, and the second one jumps to it
    await page.keyboard.press('PageDown');
    await expect.poll(t).toBeGreaterThan(0);
    await page.keyboard.press('PageDown');
    const times = [await t()];
    for (let i = 0; i < 2; i++) {
      await page.keyboard.press('PageDown');
      await page.keyboard.press('PageDown');
      times.push(await t());
    }
    expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
    const isPlaying = () => page.locator('.transport .play').getAttribute('aria-label');
    expect(await isPlaying()).toBe('play');
    await page.keyboard.press('PageUp');
    expect(await t()).toBe(times[1]);
    await page.keyboard.press('b');
    await page.locator('.blank').waitFor();
    // the first key shows the stage again, and does nothing else
    await page.keyboard.press('PageDown');
    await page.locator('.blank').waitFor({state: 'detached'});
    expect(await t()).toBe(times[1]);
    await page.keyboard.press('PageDown');
    await page.keyboard.press('b');
    expect(await isPlaying()).toBe('play');
    await page.keyboard.press('b');
    expect(await isPlaying()).toBe('pause');
    await page.keyboard.press(' ');
    await leave();
    await page.keyboard.press('b');
    expect(await page.locator('.blank').count()).toBe(0);
  });

  test('the run before a change is shown as a ghost, and the time axis has room for it', async () => {
    const {page} = window;
    await page.keyboard.press('g');
    await page.keyboard.press('x');
    await seek(page, 12);
    const x = async () => Number(await page.locator('.timeline-cursor').getAttribute('data-x'));
    const before = await x();
    const loss = page.getByLabel('Loss', {exact: true});
    await loss.fill('0');
    await loss.press('Enter');
    await loss.blur();
    await page.locator('html[data-state=ready]').waitFor();
    // without loss the run ends sooner, but the axis stays
    await expect.poll(() => ink(0.85, 0.98, 30)).toBeGreaterThan(0);
    expect(await x()).toBeCloseTo(before, 0);
    const lock = page.getByRole('button', {name: 'lock axis'});
    await openView(page);
    expect(await lock.getAttribute('aria-pressed')).toBe('true');
    await lock.click();
    await page.keyboard.press('Escape');
    await expect.poll(x).toBeGreaterThan(before + 20);
    await page.keyboard.press('x');
    const withGhost = await ink(0.85, 0.98, 30);
    await page.keyboard.press('g');
    await expect.poll(() => ink(0.85, 0.98, 30)).toBeLessThan(withGhost);
    await page.keyboard.press('g');
    await expect.poll(() => ink(0.85, 0.98, 30)).toBe(withGhost);
    const dismiss = page.getByRole('button', {name: 'hide the ghost'});
    await openView(page);
    await dismiss.click();
    await page.keyboard.press('Escape');
    // the axis needs no room for the ghost any more
    await expect.poll(x).toBeGreaterThan(before + 20);
    expect(await dismiss.count()).toBe(0);
    await page.keyboard.press('g');
    await page.keyboard.press('x');
    await page.keyboard.press('Control+z');
  });

  test('a loss is explained up to t, with room for the whole explanation', async () => {
    const {page} = window;
    await page.keyboard.press('Home');
    const words = page.locator('.cause p');
    await page.locator('html[data-state=ready]').waitFor();
    // steps until a loss of data is chosen; a run that arrives in between removes the choice
    const step = async () => {
      await page.keyboard.press('.');
      return (await words.allInnerTexts()).join();
    };
    await expect.poll(step).toContain('arrived at');
    const [whole, height] = [await words.innerText(), (await words.boundingBox())?.height];
    await page.keyboard.press('u');
    // at this t all of it has happened
    await expect.poll(() => words.innerText()).toBe(whole.replace(/(loss \d+) of \d+/, '$1'));
    const lostS = Number(/at ([\d.]+) s/.exec(whole)?.[1]);
    await seek(page, lostS + 0.02);
    expect(await words.innerText()).toMatch(/not repaired yet\.$/);
    await seek(page, lostS - 0.1);
    expect(await words.innerText()).not.toContain('Lost');
    expect((await words.boundingBox())?.height).toBe(height);
    await page.keyboard.press('u');
    await page.keyboard.press('Escape');
  });

  test('a recording has the thresholds of the window, and explains the same loss', async () => {
    const {page} = window;
    await unfold(page, 'Recognisable, good');
    const field = page.getByLabel('Recognisable', {exact: true});
    await field.fill('0.5');
    await field.blur();
    await page.keyboard.press('.');
    await page.keyboard.press('r');
    const command = page.locator('.record code');
    await expect.poll(() => command.textContent()).toMatch(/ --recognisable 0\.5 --loss [12]:\d+ /);
    await page.getByLabel('loss explained').fill('9');
    await page.getByRole('button', {name: 'Record', exact: true}).last().click();
    expect(await page.locator('.record .refused').innerText()).toMatch(/^loss is "9": must be PANE:NUMBER/);
    await page.getByRole('button', {name: 'Close', exact: true}).click();
    await page.keyboard.press('Escape');
    await field.fill('0.65');
    await field.blur();
  });

  test('captions are below the panes until a key hides them', async () => {
    const {page} = window;
    await present(8);
    expect(await page.locator('.pane-caption').allInnerTexts()).toContainEqual(expect.stringMatching(/wait/));
    await page.keyboard.press('k');
    await expect.poll(() => page.locator('.pane-caption').count()).toBe(0);
    await page.keyboard.press('k');
    await leave();
  });

  async function present(seconds: number): Promise<void> {
    const {page} = window;
    await seek(page, seconds);
    await page.keyboard.press('p');
    await page.locator('.presenting').waitFor();
    await page.locator('.toolbar').waitFor({state: 'hidden'});
  }

  async function leave(): Promise<void> {
    const {page} = window;
    await page.keyboard.press('p');
    await page.locator('.presenting').waitFor({state: 'detached'});
    await page.locator('.toolbar').waitFor();
  }

  /** Pixels of the timeline's canvas, between shares of its width, whose channels differ by more than `least`. */
  function ink(from: number, to: number, least = 60): Promise<number> {
    return window.page.locator('.timeline canvas').evaluate(
      (canvas: HTMLCanvasElement, [from, to, least]: readonly number[]) => {
        const left = Math.round(canvas.width * (from ?? 0));
        const width = Math.round(canvas.width * (to ?? 0)) - left;
        const {data} = canvas.getContext('2d')?.getImageData(left, 0, width, canvas.height) ?? {data: []};
        let coloured = 0;
        for (let i = 0; i < data.length; i += 4) {
          const rgb = [data[i] ?? 0, data[i + 1] ?? 0, data[i + 2] ?? 0];
          const isSeen = (data[i + 3] ?? 0) > 40;
          if (isSeen && Math.max(...rgb) - Math.min(...rgb) > (least ?? 0)) coloured++;
        }
        return coloured;
      },
      [from, to, least] as const,
    );
  }
});
