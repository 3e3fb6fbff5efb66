import {subscribe, unsubscribe} from 'node:diagnostics_channel';
import {copyFileSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {createServer, type IncomingMessage} from 'node:http';
import type {AddressInfo} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {Trace} from '../app/run/trace/trace.ts';
import {runFolder} from '../main/workers/testing/runs.ts';
import {openUnmeasuredWindow, seek, type TestWindow, whySkipped} from './window.ts';

// What a page from elsewhere can and cannot do in a pane's frame.

describe.skipIf(whySkipped !== '')(`a page in a pane${whySkipped}`, () => {
  let window: TestWindow | undefined;
  let folder: string;
  beforeEach(() => {
    window = undefined;
    folder = mkdtempSync(join(tmpdir(), 'interleave-frames-'));
    const logo = new URL('../fixtures/pages/gallery-png/logo.png', import.meta.url);
    copyFileSync(logo, join(folder, 'logo.png'));
  });
  afterEach(async () => {
    await window?.close();
    rmSync(folder, {recursive: true});
  });

  test('gets nothing from the shell’s server, nor from any other', async () => {
    const requests: string[] = [];
    const log = (message: unknown) => {
      const {url, headers} = (message as {request: IncomingMessage}).request;
      if (url?.includes('hostile') === true) requests.push(`${headers.host}${url}`);
    };
    subscribe('http.server.request.start', log);
    const elsewhere = createServer((_, response) => response.end());
    await new Promise<void>(resolve => elsewhere.listen(0, '127.0.0.1', resolve));
    const other = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
    writeFileSync(join(folder, 'style.css'), `${hostileCss('')} ${hostileCss(other)} body { color: red }`);
    writeFileSync(join(folder, 'index.html'), hostileHtml('') + hostileHtml(other));
    try {
      window = await openUnmeasuredWindow({page: folder});
      const {page} = window;
      await page.keyboard.press('End');
      const frame = page.frameLocator('.pane >> nth=0 >> iframe');
      await expect.poll(() => frame.locator('p').evaluateAll(all => all.length)).toBe(2);
      await page.keyboard.press('Home');
      await page.keyboard.press('End');
      // whatever can be loaded is requested within a few frames
      await page.waitForTimeout(1000);
      expect(await frame.locator('body').evaluate(body => getComputedStyle(body).color)).toBe('rgb(255, 0, 0)');
      expect(requests).toEqual([]);
      expect(page.url()).not.toContain('hostile');
      expect(page.frames().filter(each => each.url().includes('hostile'))).toEqual([]);
    } finally {
      unsubscribe('http.server.request.start', log);
      elsewhere.close();
    }
  });

  test('shows the fallback of picture elements, and the pictures in its HTML', async () => {
    const gif = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==';
    writeFileSync(
      join(folder, 'index.html'),
      `<picture><source srcset=logo.jxl type=image/jxl><img src=logo.png></picture><img src="${gif}">`,
    );
    window = await openUnmeasuredWindow({page: folder});
    await window.page.keyboard.press('End');
    const images = window.page.frameLocator('.pane >> nth=0 >> iframe').locator('img');
    await expect
      .poll(() => images.evaluateAll(all => all.map(image => (image as HTMLImageElement).naturalWidth)))
      .toEqual([expect.toSatisfy(width => width > 1), 1]);
  });

  test('is gone as soon as another page is chosen, at any t', {tags: ['long']}, async () => {
    window = await openUnmeasuredWindow({page: 'r02', path: {rateBps: 56_000}});
    const {page} = window;
    const content = (pane: number) =>
      page
        .frameLocator(`.pane >> nth=${pane} >> iframe`)
        .locator('body')
        .evaluate(body => {
          const boxes = Array.from(body.querySelectorAll<HTMLImageElement>('[data-object]'));
          return {
            text: body.textContent,
            boxes: boxes.map(box => `${box.alt} ${box.dataset['object']} ${box.dataset['percent']}`),
            widths: boxes.map(box => box.naturalWidth),
          };
        });
    const choose = async (name: string) => {
      await page.getByLabel('Page', {exact: true}).selectOption(name);
      await page.locator(`iframe[title^="${name}, "]`).first().waitFor();
      await page.locator('html[data-state=ready]').waitFor();
    };
    await page.keyboard.press('End');
    await choose('gallery');
    await page.keyboard.press('End');
    await expect.poll(async () => (await content(0)).widths.every(width => width > 0)).toBe(true);
    for (const pane of [0, 1]) {
      const {text, boxes} = await content(pane);
      expect(text).toContain('Ten Views');
      expect(text).not.toContain('Notes from the Coast Road');
      expect(boxes).toHaveLength(11);
      expect(boxes.every(box => box.endsWith(' 100'))).toBe(true);
    }
    // the panes show the same again, whatever was shown in between
    await seek(page, 5);
    const after = [await content(0), await content(1)];
    await seek(page, 12);
    await choose('r02');
    await choose('gallery');
    await seek(page, 5);
    expect([await content(0), await content(1)]).toEqual(after);
  });

  test('has room for images whose size its HTML does not give', async () => {
    const lake = new URL('../fixtures/pages/gallery/lake.jpg', import.meta.url);
    const names = Array.from({length: 9}, (_, i) => `lake${i}.jpg`);
    for (const name of names) copyFileSync(lake, join(folder, name));
    const grid = 'display: grid; grid-template-columns: repeat(3, 1fr); gap: 5px';
    const tags = names.map((name, i) => `<img src=${name} style="${i < 3 ? '' : 'width: 100%'}">`);
    writeFileSync(join(folder, 'index.html'), `<!doctype html><div style="${grid}">${tags.join('')}</div>`);
    window = await openUnmeasuredWindow({page: folder, path: {rateBps: 56_000}});
    const {page} = window;
    const frame = page.locator('.pane iframe').first();
    const size = () =>
      frame.evaluate(element => {
        const {offsetWidth, offsetHeight, contentDocument} = element as HTMLIFrameElement;
        return {offsetWidth, offsetHeight, content: contentDocument?.body?.scrollHeight ?? 0};
      });
    const before = await size();
    expect(before.content).toBeLessThan(100);
    await page.keyboard.press('End');
    await expect.poll(async () => (await size()).content).toBeGreaterThan(400);
    const {content, ...after} = await size();
    expect(after).toEqual({offsetWidth: before.offsetWidth, offsetHeight: before.offsetHeight});
    // the body has margins of 8 px
    expect(content).toBe(after.offsetHeight - 16);
    // the page fills at least 75 % of the pane's width, so a low pane shows its end
    expect(await page.locator('.pane-part').first().textContent()).toMatch(/^$|–100 % of the height$/);
  });

  test('that grows beyond its room is scrolled to what has arrived', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="600" height="3000"><rect width="9" height="9"/></svg>';
    writeFileSync(join(folder, 'tall.svg'), svg);
    writeFileSync(join(folder, 'index.html'), '<!doctype html><p>above<p><img src=tall.svg><p>below');
    const scenario = {page: folder, path: {rateBps: 56_000, rttMs: 500}};
    const [trace] = (await runFolder(scenario)).panes.map(data => new Trace(data));
    window = await openUnmeasuredWindow(scenario);
    const {page} = window;
    const frame = page.locator('.pane iframe').first();
    const state = async () => [
      await frame.evaluate(element => (element as HTMLIFrameElement).offsetHeight),
      await page.locator('.pane-part').first().textContent(),
    ];
    const [htmlNs, endNs] = [trace?.objects[0]?.completeNs ?? 0, trace?.data.endNs ?? 0];
    await seek(page, htmlNs / 1e9);
    const before = await state();
    expect(before[1]).toBe('');
    await seek(page, endNs / 1e9);
    const after = await state();
    expect(after[0]).toBeGreaterThan(3000);
    expect(after[1]).toMatch(/^shows 9\d–100 % of the height$/);
    await seek(page, htmlNs / 1e9);
    expect(await state()).toEqual(before);
  });

  test('of 400 images and 200 KB costs each frame only what is new in it', {
    tags: ['long'],
  }, async () => {
    const tag = (i: number) => `<p>${'text '.repeat(90)}<img src=logo.png?${i} width=20 height=20 alt=a></p>\n`;
    writeFileSync(join(folder, 'index.html'), Array.from({length: 400}, (_, i) => tag(i)).join(''));
    const scenario = {page: folder, path: {rateBps: 50_000_000, rttMs: 20, loss: 0}};
    const [trace] = (await runFolder(scenario)).panes.map(data => new Trace(data));
    const endNs = trace?.data.endNs ?? 0;
    window = await openUnmeasuredWindow(scenario);
    const {page} = window;
    // the settings are closed, because their table of 400 objects would be searched for each label
    await page.keyboard.press('c');
    const bytes = 2 * (trace?.objects[0]?.bytes ?? 0);
    const work = () => page.evaluate(() => (globalThis as unknown as {work: Work}).work);
    await page.evaluate(countWork);
    await page.keyboard.press('End');
    // a jump is laid out in slices
    await expect.poll(async () => (await work()).parsed).toBe(bytes);
    expect((await work()).largest).toBeLessThanOrEqual(128_000);
    await page.keyboard.press('Home');
    await page.evaluate(countWork);
    for (let step = 1; step <= 10; step++) await seek(page, Math.round((endNs * step) / 1e8) / 100);
    await page.keyboard.press('End');
    const {parsed, searched, pictures} = await work();
    expect(parsed).toBe(bytes);
    // the whole page is not searched for each of its images
    expect(searched).toBeLessThan(100);
    // each box gets each new picture once
    expect(pictures).toBeLessThan(2 * 400 * 12);
  });
});

interface Work {
  parsed: number;
  largest: number;
  searched: number;
  pictures: number;
}

/** Runs in the browser. Counts what panes do to documents from now on. */
function countWork(): void {
  const work: Work = {parsed: 0, largest: 0, searched: 0, pictures: 0};
  Object.assign(globalThis, {work});
  const {write, querySelectorAll} = Document.prototype;
  Document.prototype.write = function (...texts: string[]) {
    work.parsed += texts.join('').length;
    work.largest = Math.max(work.largest, texts.join('').length);
    write.apply(this, texts);
  };
  Document.prototype.querySelectorAll = function (this: Document, selector: string) {
    work.searched += 1;
    return querySelectorAll.call(this, selector);
  } as typeof querySelectorAll;
  const {decode} = HTMLImageElement.prototype;
  HTMLImageElement.prototype.decode = function (this: HTMLImageElement) {
    if (this.dataset['object'] !== undefined) work.pictures += 1;
    return decode.call(this);
  };
}

/** All HTML by which pages have ever made browsers load something. */
function hostileHtml(origin: string): string {
  let count = 0;
  const url = () => `${origin}/hostile${count++}`;
  const tags = [
    `<base href="${origin}/hostile/"><link rel=stylesheet href="${url()}.css"><link rel=icon href="${url()}">`,
    `<link rel=preload as=image href="${url()}"><link rel=prefetch href="${url()}"><link rel=manifest href="${url()}">`,
    `<link rel=preload as=image imagesrcset="${url()} 1x"><link rel=modulepreload href="${url()}">`,
    `<link rel=dns-prefetch href="${url()}"><link rel=preconnect href="${url()}"><link rel=prerender href="${url()}">`,
    `<link rel=stylesheet href="/style.css">`,
    `<style>${hostileCss(origin)}</style><meta http-equiv=refresh content="0; url=${url()}">`,
    `<meta http-equiv="Content-Security-Policy" content="img-src *; report-uri ${url()}">`,
    `<body background="${url()}"><p>there</p><table background="${url()}"><tr><td background="${url()}">x</table>`,
    `<img src="${url()}"><img srcset="${url()} 1x, ${url()} 2x"><img src="${url()}" loading=lazy attributionsrc="${url()}">`,
    `<img src=logo.png srcset="${url()} 1x"><img src="${url()}" onerror="fetch('${url()}')"><image src="${url()}">`,
    `<img style="content: url('${url()}')" src=logo.png><img lowsrc="${url()}" dynsrc="${url()}" longdesc="${url()}">`,
    `<picture><source srcset="${url()}"><img src="${url()}"></picture><input type=image src="${url()}">`,
    `<video src="${url()}" poster="${url()}" autoplay preload=auto></video><video><source src="${url()}"><track src="${url()}" default></video>`,
    `<audio src="${url()}" autoplay preload=auto></audio><bgsound src="${url()}">`,
    `<object data="${url()}"></object><object data="${url()}" type="image/png"></object><embed src="${url()}">`,
    `<applet code="${url()}" archive="${url()}" codebase="${url()}"></applet>`,
    `<iframe src="${url()}"></iframe><iframe srcdoc="<img src='${url()}'>"></iframe><frameset><frame src="${url()}"></frameset>`,
    `<iframe src="javascript:parent.location='${url()}'"></iframe><iframe src="data:text/html,<img src='${url()}'>"></iframe>`,
    `<svg width=50 height=50><image href="${url()}" /><image xlink:href="${url()}" /><use href="${url()}#a" />
      <script href="${url()}"></script><script>fetch("${url()}")</script><style>${hostileCss(origin)}</style>
      <filter id=f><feImage href="${url()}" /></filter><rect width=9 height=9 filter="url(#f)" fill="url(${url()}#b)" />
      <rect width=9 height=9 filter="url(${url()}#f)" mask="url(${url()}#m)" /><a href="${url()}"><text>x</text></a>
      <image><set attributeName=href to="${url()}" /></image><image><animate attributeName=href values="${url()}" dur=1s /></image></svg>`,
    `<script src="${url()}"></script><script>new Image().src = "${url()}"</script><script type=module src="${url()}"></script>`,
    `<script type=speculationrules>{"prefetch": [{"urls": ["${url()}"]}]}</script>`,
    `<noscript><img src="${url()}"><link rel=stylesheet href="${url()}"></noscript>`,
    `<template><img src="${url()}"></template><div><template shadowrootmode=open><img src="${url()}"></template></div>`,
    `<div style="background: url(${url()}); list-style: url(${url()}); border-image: url(${url()}); mask: url(${url()})">x</div>`,
    `<div style="cursor: url(${url()}), auto; background: image-set('${url()}' 1x); filter: url(${url()}#f)">x</div>`,
    `<form action="${url()}"><input autofocus onfocus="fetch('${url()}')"><button formaction="${url()}">b</button></form>`,
    `<a href="${url()}" ping="${url()}" attributionsrc="${url()}">link</a><math href="${url()}"><mi>x</mi></math>`,
    `<html manifest="${url()}"><body onload="fetch('${url()}')"><details open ontoggle="fetch('${url()}')"></details>`,
  ];
  return tags.join('\n');
}

function hostileCss(origin: string): string {
  return `@import "${origin}/hostile-a.css"; @import url(${origin}/hostile-b.css);
    @font-face { font-family: f; src: url(${origin}/hostile-f.woff) } p { font-family: f }
    p { background: url(${origin}/hostile-c.png) } p::before { content: url(${origin}/hostile-d.png) }
    img { content: url(${origin}/hostile-e.png) }`;
}
