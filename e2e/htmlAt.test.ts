import {join} from 'node:path';
import {build} from 'esbuild';
import type {Browser, Page} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import type * as htmlAt from '../renderer/panes/htmlAt.ts';
import {openBrowser, whySkipped} from './window.ts';

// renderer/panes/htmlAt.ts in a real browser: what its parser makes of HTML that breaks off.

describe.skipIf(whySkipped !== '')(`the document of a page’s first bytes${whySkipped}`, () => {
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    const {outputFiles} = await build({
      entryPoints: [join(import.meta.dirname, '../renderer/panes/htmlAt.ts')],
      ...{bundle: true, write: false, format: 'iife', globalName: 'htmlAt'},
    });
    browser = await openBrowser();
    page = await browser.newPage();
    await page.addScriptTag({content: outputFiles[0]?.text ?? ''});
  });
  afterAll(() => browser?.close());

  test('has the text so far, and no half characters', async () => {
    const html = '<p>Über</p><p>Ende';
    expect(await body(html, 0)).toBe('');
    expect(await body(html, 4)).toBe('<p></p>');
    expect(await body(html, 5)).toBe('<p>Ü</p>');
    expect(await body(html, 100)).toBe('<p>Über</p><p>Ende</p>');
  });

  test('has empty boxes for its images, with their object’s number', async () => {
    const waiting = (attributes: string) => `<img alt="a" src="empty" decoding="sync"${attributes}>`;
    expect(await body('<img alt="a" src="lake.jpg">')).toBe(waiting(' data-object="1"'));
    expect(await body('<img alt="a" src="/lake.jpg" srcset="x 2x" sizes="1px" loading="lazy">')).toBe(
      waiting(' data-object="1"'),
    );
    expect(await body('<img alt="a" src="http://elsewhere.test/lake.jpg">')).toBe(waiting(''));
    expect(await body('<img alt="a">')).toBe(waiting(''));
    expect(await body('<p><img alt="a" src="lake.j')).toBe('<p></p>');
  });

  test('finds its objects from the base that the page names, which does not stay', async () => {
    const {head, body} = await documentAt('<base href="/img/"><img src="boat.jpg">');
    expect(body).toContain('data-object="3"');
    expect(head).toBe('');
  });

  test('has a style sheet’s text in the place of its link, from when it is there', async () => {
    const html = '<link rel="stylesheet" href="style.css"><link rel="icon" href="lake.jpg"><title>t</title>';
    expect((await documentAt(html, 1000, null)).head).toBe('<title>t</title>');
    expect((await documentAt(html, 1000, 'p > a {}')).head).toBe('<style>p > a {}</style><title>t</title>');
  });

  test.each([
    '<script>alert(1)</script>',
    '<noscript>x</noscript>',
    '<iframe src="lake.jpg"></iframe>',
    '<object data="lake.jpg"></object>',
    '<embed src="lake.jpg">',
    '<meta http-equiv="refresh" content="0; url=/">',
    '<template><img src="lake.jpg"></template>',
    '<audio src="lake.jpg"></audio>',
    '<video src="lake.jpg" poster="lake.jpg"></video>',
  ])('has nothing of %s', async active => {
    const {head, body} = await documentAt(`<p>before</p>${active}<p>after</p>`);
    expect(head + body).toBe('<p>before</p><p>after</p>');
  });

  async function body(html: string, bytes?: number): Promise<string> {
    return (await documentAt(html, bytes)).body;
  }

  /** Inside of its head and body; `empty` is the empty image's address. */
  function documentAt(html: string, bytes = 1000, css: string | null = null) {
    return page.evaluate(
      query => {
        const {documentAt, EMPTY_IMAGE} = (globalThis as unknown as {htmlAt: typeof htmlAt}).htmlAt;
        const objects = ['/', '/lake.jpg', '/style.css', '/img/boat.jpg'].map((url, object) => {
          return {url, contentType: '', body: new TextEncoder().encode(object === 0 ? query.html : '')};
        });
        const shown = {name: '', objects, headerBytes: 0, requestBytes: 0};
        const {head, body} = documentAt(shown, query.bytes, object =>
          object === 2 ? (query.css ?? undefined) : undefined,
        );
        const inside = (element: HTMLElement) => element.innerHTML.replaceAll(EMPTY_IMAGE, 'empty');
        return {head: inside(head), body: inside(body)};
      },
      {html, bytes, css},
    );
  }
});
