import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import type {Browser, Page} from 'playwright-core';
import {build} from 'vite';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import type * as frameDocument from '../renderer/run/panes/frameDocument.ts';
import type * as growingDocument from '../renderer/run/panes/growingDocument.ts';
import {openBrowser, whySkipped} from './window.ts';

// Tests renderer/run/panes/growingDocument.ts in a real browser: what the browser's parser makes of HTML that breaks
// off.

describe.skipIf(whySkipped !== '')(`the document of a page’s first bytes${whySkipped}`, () => {
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    const entry = join(import.meta.dirname, 'panesModules.ts');
    const built = await build({
      configFile: false,
      logLevel: 'error',
      build: {write: false, lib: {entry, name: 'panes', formats: ['iife']}},
    });
    const [bundle] = Array.isArray(built) ? built : [];
    browser = await openBrowser();
    page = await browser.newPage();
    await page.addScriptTag({content: bundle?.output[0].code ?? ''});
    await page.addScriptTag({content: `globalThis.growing = ${growing}`});
  });
  afterAll(() => browser?.close());

  test('has the text so far, and no half characters', async () => {
    const html = '<p>Über</p><p>Ende';
    expect(await body(html, 0)).toBe('');
    expect(await body(html, 4)).toBe('<p></p>');
    expect(await body(html, 5)).toBe('<p>Ü</p>');
    expect(await body(html)).toBe('<p>Über</p><p>Ende</p>');
  });

  test('has an empty box for each image, with the number of the image’s object if the page has it', async () => {
    const waiting = 'decoding="sync" src="empty"';
    const box = (object: number) => `${waiting} data-object="${object}" data-percent="0"`;
    expect(await body('<img alt="a" src="lake.jpg">')).toBe(`<img alt="a" ${box(1)}>`);
    expect(await body('<img src="/lake.jpg" srcset="x 2x" sizes="1px" loading="lazy" crossorigin>')).toBe(
      `<img ${box(1)}>`,
    );
    expect(await body('<img src="http://elsewhere.test/lake.jpg">')).toBe(`<img ${waiting}>`);
    expect(await body('<img srcset="lake.jpg">')).toBe(`<img ${box(1)}>`);
    expect(await body('<img srcset="else.jpg">')).toBe(`<img ${waiting}>`);
    expect(await body('<p data-object="1" data-percent="7"><img src="lake.j', 50)).toBe('<p></p>');
  });

  test('has the content of noscript elements, like a browser without scripts', async () => {
    const {head, body} = await shown(
      '<noscript><link rel=stylesheet href="style.css"></noscript><p>x</p><noscript><img src="lake.jpg"></noscript>',
    );
    expect(head).toBe('<noscript><style></style></noscript>');
    expect(body).toContain('<noscript><img decoding="sync" src="empty" data-object="1"');
    const opacity = await page.evaluate(html => {
      const {document, frame} = growing(html);
      document.show(html.length);
      return frame.defaultView?.getComputedStyle(frame.documentElement).opacity;
    }, '<head><noscript><link rel=stylesheet href="style.css"></noscript><p>x</p>');
    expect(opacity).toBe('0');
  });

  test('has the alternative text of an image element that names no image', async () => {
    expect(await body('<img alt="a">')).toBe('<img alt="a" decoding="sync">');
    expect(await body('<img alt="a" src=" ">')).toBe('<img alt="a" decoding="sync">');
  });

  test('shows the source that the browser chooses for a picture element', async () => {
    const html = (type: string) =>
      `<picture><source srcset="/img/boat.jpg 1x" type="image/${type}"><img src="lake.jpg"></picture>`;
    expect(await body(html('jxl'))).toContain('data-object="1"');
    expect(await body(html('webp'))).toContain('data-object="3"');
    expect(await body(html('webp'))).toContain('<source type="image/webp">');
  });

  test('shows pictures that the HTML itself holds', async () => {
    const gif = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==';
    expect(await body(`<img src=" ${gif}">`)).toBe(`<img decoding="sync" src="${gif}">`);
    expect(await body(`<input type="image" src="${gif}">`)).toBe(`<input type="image" src="${gif}">`);
    expect(await body(`<table background="${gif}"></table>`)).toBe(`<table background="${gif}"></table>`);
    const svg = `<svg><image href="${gif}"></image></svg>`;
    expect(await body(svg)).toBe(svg);
    const huge = `data:image/gif;base64,${btoa('GIF89a N N\0\0\0')}`;
    expect(await body(`<img src="${huge}">`)).toBe('<img decoding="sync" src="broken">');
    expect(await body(`<table background="${huge}"></table>`)).toBe('<table></table>');
    expect(await body(`<b style="background:url(${huge})"></b>`)).toBe(
      '<b style="background:url(&quot;data:,&quot;)"></b>',
    );
  });

  test('resolves references by the first base element of the page, but only references that follow it', async () => {
    expect(await body('<base href="/img/"><base href="/x/"><img src="boat.jpg">')).toContain('data-object="3"');
    expect(await body('<img src="lake.jpg"><base href="/img/">')).toContain('data-object="1"');
  });

  test('has a style sheet’s text in place of its link as long as the sheet is there', async () => {
    const html = '<link rel="stylesheet" href="style.css" media="print" id="s"><title>t</title>';
    const head = (css: string) => `<style id="s" media="print">${css}</style><title>t</title>`;
    const shown = await page.evaluate(html => {
      const {document, frame} = growing(html);
      document.show(1000);
      const before = frame.head.innerHTML;
      document.showStyles({css: object => (object === 2 ? 'p > a {}' : undefined), font: () => undefined});
      const there = frame.head.innerHTML;
      document.show(html.length - 1);
      const again = frame.head.innerHTML;
      document.showStyles({css: () => undefined, font: () => undefined});
      return [before, there, again, frame.head.innerHTML];
    }, html);
    expect(shown.slice(0, 2)).toEqual([head(''), head('p > a {}')]);
    expect(shown[2]).toContain('p > a {}');
    expect(shown[3]).not.toContain('p > a {}');
  });

  test('is blank until the style sheets of its head and their imports have arrived', async () => {
    const head = '<link rel="stylesheet" href="style.css"><link rel="stylesheet" href="/lake.jpg" media="print">';
    const opacities = await page.evaluate(html => {
      const {document, frame} = growing(html);
      const opacityWith = (css: (object: number) => string | undefined): string => {
        document.show(html.length);
        document.showStyles({css, font: () => undefined});
        return frame.defaultView?.getComputedStyle(frame.documentElement).opacity ?? '';
      };
      return [
        opacityWith(() => undefined),
        opacityWith(object => (object === 2 ? '@import "/img/boat.jpg";' : undefined)),
        opacityWith(object => ({2: '@import "/img/boat.jpg";', 3: ''})[object]),
        opacityWith(() => ''),
      ];
    }, `${head}<p>x</p>`);
    expect(opacities).toEqual(['0', '0', '1', '1']);
    const inBody = await page.evaluate(html => {
      const {document, frame} = growing(html);
      document.show(html.length);
      return frame.defaultView?.getComputedStyle(frame.documentElement).opacity;
    }, '<p>x</p><link rel="stylesheet" href="style.css">');
    expect(inBody).toBe('1');
  });

  test('shows a background picture as soon as a part of it has arrived', async () => {
    const html = `<style>p { background: url(lake.jpg) }</style><link rel="stylesheet" href="style.css">
      <p>x</p><b style="background: red url('/lake.jpg')">y</b><i>z</i>`;
    const shown = await page.evaluate(async html => {
      const {document, frame} = growing(html);
      const backgrounds = (): (string | undefined)[] =>
        ['p', 'b', 'i'].map(name => {
          const element = frame.querySelector(name);
          return element === null ? '' : frame.defaultView?.getComputedStyle(element).backgroundImage;
        });
      const css = (object: number): string | undefined =>
        object === 2 ? '@import "/img/boat.jpg"; i { background: url(img/../lake.jpg) }' : '';
      document.show(html.length);
      document.showStyles({css, font: () => undefined});
      const before = [document.stylePictures().join(), ...backgrounds()];
      await document.setStylePicture(1, 'data:image/gif;base64,R0lGODlhAQABAAAAACw=');
      const there = backgrounds();
      // a step back keeps the styles that are still there
      document.show(html.length - 4);
      const again = [document.stylePictures().join(), ...backgrounds()];
      await document.setStylePicture(1, undefined);
      return [before, there, again, backgrounds()];
    }, html);
    const data = 'url("data:image/gif;base64,R0lGODlhAQABAAAAACw=")';
    const nothing = 'url("data:,")';
    expect(shown[0]).toEqual(['1', nothing, nothing, nothing]);
    expect(shown[1]).toEqual([data, data, data]);
    expect(shown[2]).toEqual(['1', data, data, data]);
    expect(shown[3]).toEqual([nothing, nothing, nothing]);
  });

  test('shows the last background that this browser accepts if later declarations are for other browsers', async () => {
    const html = `<style>p { background: url(lake.jpg) } p { background: -moz-linear-gradient(red, blue), url(lake.jpg) }
      b { background: url(lake.jpg), linear-gradient(red, blue) !important; background: url(lake.jpg) 1 2 3 4 5 }</style>
      <p>x</p><b style="background: url(lake.jpg), -o-linear-gradient(red, blue)">y</b>`;
    const backgrounds = await page.evaluate(async html => {
      const {document, frame} = growing(html);
      document.show(html.length);
      await document.setStylePicture(1, 'data:image/gif;base64,R0lGODlhAQABAAAAACw=');
      return ['p', 'b'].map(name => {
        const element = frame.querySelector(name);
        return element === null ? '' : frame.defaultView?.getComputedStyle(element).backgroundImage;
      });
    }, html);
    const data = 'url("data:image/gif;base64,R0lGODlhAQABAAAAACw=")';
    expect(backgrounds).toEqual([data, `${data}, linear-gradient(rgb(255, 0, 0), rgb(0, 0, 255))`]);
  });

  test('has a style sheet’s text only at the last link to it for each kind of media', async () => {
    const link = '<link rel=stylesheet href="style.css">';
    const html = `${link}${link}<style>p { color: red }</style>${link}<link rel=stylesheet href="style.css" media=print>`;
    const texts = await page.evaluate(html => {
      const {document, frame} = growing(html);
      const all = () => Array.from(frame.querySelectorAll('style'), style => style.textContent);
      document.show(html.length);
      document.showStyles({css: () => 'p {}', font: () => undefined});
      const fits = all();
      document.showStyles({css: () => `/*${' '.repeat(14_999_996)}*/`, font: () => undefined});
      return [fits, all().map(text => text.length)];
    }, html);
    expect(texts).toEqual([
      ['', '', 'p { color: red }', 'p {}', 'p {}'],
      [0, 0, 16, 15_000_000, 0],
    ]);
  });

  test.each(['rel="icon"', 'rel="alternate stylesheet"', 'rel="preload" as="style"', 'rel="stylesheet" disabled'])(
    'has no style sheet for a link with %s',
    async rel => {
      const html = `<link ${rel} href="style.css"><title>t</title>`;
      expect((await shown(html)).head).toBe('<link><title>t</title>');
    },
  );

  test('has the rules of a style element only once its end tag has arrived', async () => {
    const html = '<style>p { color: red }</style><p>x</p>';
    expect((await shown(html, html.indexOf('</style>'))).head).toBe('<style></style>');
    expect((await shown(html, html.indexOf('x'))).head).toBe('<style>p { color: red }</style>');
    const last = '<p>x</p><style>p { color: red }</style>';
    expect(await body(last)).toBe(last);
  });

  test.each([
    ['<script src="lake.jpg" onload="x">alert(1)</script>', '<script></script>'],
    ['<iframe src="lake.jpg" width="5">x</iframe>', '<iframe width="5"></iframe>'],
    ['<iframe srcdoc="<img src=lake.jpg>"></iframe>', '<iframe></iframe>'],
    ['<object data="lake.jpg" width="5"><img src="lake.jpg"></object>', '<img width="5" src="box">'],
    ['<embed src="lake.jpg" class="a">', '<img class="a" src="box">'],
    ['<meta http-equiv="refresh" content="0; url=/">', '<meta>'],
    ['<template><img src="lake.jpg"></template>', '<template></template>'],
    ['<audio src="lake.jpg" autoplay></audio>', '<audio></audio>'],
    ['<video src="lake.jpg" poster="lake.jpg"><source src="a"></video>', '<video></video>'],
    ['<input type="image" src="lake.jpg">', '<input type="image" src="empty">'],
    ['<form action="/x"><button formaction="/x"></button></form>', '<form><button></button></form>'],
    ['<a href="/x" ping="/y">l</a>', '<a href="/x">l</a>'],
    ['<marquee direction="up" <a="b">x</marquee>', '<div <a="b">x</div>'],
    [
      '<svg><rect><animate attributeName="x"></animate><set></set></rect></svg>',
      '<svg><rect><!----><!----></rect></svg>',
    ],
    ['<div background="/x" data="/y" manifest="/z"></div>', '<div></div>'],
    [
      '<svg><script href="/x">y</script><image href="/x" xlink:href="/x"></image><use href="#a"></use></svg>',
      '<svg><script></script><image></image><use href="#a"></use></svg>',
    ],
  ])('keeps the place of %s, but nothing of it that loads, runs or sends data', async (active, inert) => {
    expect(await body(`<p>before</p>${active}<p>after</p>`)).toBe(`<p>before</p>${inert}<p>after</p>`);
  });

  test('has no animations, whatever the page says', async () => {
    const moving = 'animation: k 1s infinite !important; transition: left 9s !important';
    const html = `<style>@keyframes k { to { left: 9px } } p, p::before { content: ''; ${moving} }</style><p>x</p>`;
    const computed = await page.evaluate(html => {
      const {document, frame} = growing(html);
      document.show(html.length);
      const styles = [null, '::before'].map(part => {
        return frame.defaultView?.getComputedStyle(frame.querySelector('p') as Element, part);
      });
      return [...styles.map(each => [each?.animationName, each?.transitionDuration]), frame.getAnimations().length];
    }, html);
    expect(computed).toEqual([['none', '0s'], ['none', '0s'], 0]);
  });

  test('is laid out in the page’s own mode', async () => {
    const transitional = '-//W3C//DTD XHTML 1.0 Transitional//EN';
    const modes = await page.evaluate(
      pages =>
        pages.map(html => {
          const {compatMode, doctype} = growing(html).frame;
          return `${compatMode} ${doctype?.publicId}`;
        }),
      [
        '',
        '<p>x',
        '<!doctype html><p>x',
        `<!-- c --><!DOCTYPE html PUBLIC "${transitional}" "x"><p>`,
        `<!DOCTYPE html PUBLIC '"x"' ""><p>x`,
      ],
    );
    expect(modes).toEqual([
      'BackCompat undefined',
      'BackCompat undefined',
      'CSS1Compat ',
      `CSS1Compat ${transitional}`,
      // a fixed doctype, which has nothing of the page's own
      'CSS1Compat ',
    ]);
  });

  test('is the same whether the number of bytes grows in steps, jumps or falls', {tags: ['long']}, async () => {
    const gallery = readFileSync(new URL('../fixtures/pages/gallery/index.html', import.meta.url), 'utf8');
    for (const html of [gallery, HOSTILE, FRAMES]) {
      const different = await page.evaluate(html => {
        const at = (bytes: number) => {
          const {document, frame} = growing(html);
          document.show(bytes);
          return frame.documentElement;
        };
        const [size, differences] = [new TextEncoder().encode(html).length, [] as unknown[]];
        const wander = growing(html);
        // these steps visit positions everywhere, in no order
        const path = Array.from({length: 60}, (_, i) => (i * 7919) % (size + 1));
        const forwards = growing(html);
        for (const bytes of [...path].sort((a, b) => a - b)) {
          const alone = at(bytes);
          forwards.document.show(bytes);
          if (!alone.isEqualNode(forwards.frame.documentElement)) differences.push(['forwards', bytes]);
        }
        for (const bytes of path) {
          wander.document.show(bytes);
          if (!at(bytes).isEqualNode(wander.frame.documentElement)) differences.push(['wandering', bytes]);
        }
        return differences;
      }, html);
      expect(different).toEqual([]);
    }
  });

  test('shows what is behind a hole at its own place, whatever was shown before', async () => {
    const gallery = readFileSync(new URL('../fixtures/pages/gallery/index.html', import.meta.url), 'utf8');
    for (const html of [gallery, HOSTILE]) {
      const different = await page.evaluate(html => {
        const size = new TextEncoder().encode(html).length;
        // first every third piece is there, then others, and later all
        const step = Math.ceil(size / 40);
        const some = (from: number, every: number) =>
          Array.from({length: 40}, (_, i) => ({first: i * step, end: Math.min((i + 1) * step, size)})).filter(
            ({first, end}, i) => i % every === from && first < end,
          );
        const wander = growing(html);
        const differences: number[] = [];
        const steps = [some(0, 3), some(1, 2), [], some(2, 5), [{first: 0, end: size}], some(0, 2)];
        for (const [i, ranges] of steps.entries()) {
          wander.document.showRanges(ranges);
          const alone = growing(html);
          alone.document.showRanges(ranges);
          const isSame = alone.frame.documentElement?.isEqualNode(wander.frame.documentElement);
          if (isSame === false) differences.push(i);
        }
        return differences;
      }, html);
      expect(different).toEqual([]);
    }
    const text = '<p>one</p><p>twö</p><p>three</p>';
    const shown = await page.evaluate(html => {
      const {document, frame} = growing(html);
      const bodies: string[] = [];
      // a hole cuts the ö in two, so nothing of it is shown
      for (const ends of [
        [3, 5, 10, 16, 17, 25],
        [0, 25],
        [0, 33],
      ]) {
        const ranges = Array.from({length: ends.length / 2}, (_, i) => ({
          first: ends[2 * i],
          end: ends[2 * i + 1],
        }));
        document.showRanges(ranges as {first: number; end: number}[]);
        bodies.push(frame.body.innerHTML);
      }
      return bodies;
    }, text);
    expect(shown).toEqual(['on<p>tw</p><p>t</p>', '<p>one</p><p>twö</p><p>t</p>', text]);
  });

  test('keeps the elements that are still there when the number of bytes falls', async () => {
    const html = '<body><p>x<img src=lake.jpg><p>long<div><i>y</i></div>';
    const {areKept, boxes, shown} = await page.evaluate(html => {
      const {document, frame} = growing(html);
      document.show(html.length);
      const nodes = Array.from(frame.querySelectorAll('html, body, p, img'));
      document.show(html.indexOf('ng<'));
      const areKept = nodes.every((node, i) => node === frame.querySelectorAll('html, body, p, img')[i]);
      const shown = frame.body.innerHTML.replace(/<img[^>]*>/, '<img>');
      return {areKept, boxes: document.boxesOf(1).length, shown};
    }, html);
    expect(areKept).toBe(true);
    expect(boxes).toBe(1);
    expect(shown).toBe('<p>x<img></p><p>lo</p>');
  });

  test('has at most 20 frames, and boxes for the others', async () => {
    const shown = await body('<iframe></iframe>'.repeat(30));
    expect(shown.match(/<iframe>/g)).toHaveLength(20);
    expect(shown.match(/<img src="box">/g)).toHaveLength(10);
  });

  test.each([
    ['20,000 nested elements', '<div>'.repeat(20_000), 20_003],
    ['10,000 images', '<p><img src=lake.jpg alt=a></p>\n'.repeat(10_000), 30_000],
    ['200,000 words in one line', 'word '.repeat(200_000), 20],
    ['formatting that never ends', '<b><i><p>x'.repeat(3000), 600_000],
    ['text that a table pushes out', `<table>${'<tr>x<td>y'.repeat(3000)}`, 20_000],
  ])('does no more work for %s in 200 steps than in one', {tags: ['long']}, async (_, html, nodes) => {
    const {written, changed} = await page.evaluate(html => {
      const {document: shown, frame} = growing(html);
      let written = 0;
      const write = Document.prototype.write;
      Document.prototype.write = function (...texts: string[]) {
        written += texts.join('').length;
        write.apply(this, texts);
      };
      let changed = 0;
      const observer = new MutationObserver(() => undefined);
      observer.observe(frame, {subtree: true, childList: true, characterData: true});
      for (let step = 1; step <= 200; step++) {
        shown.show(Math.round((html.length * step) / 200));
        for (const {addedNodes} of observer.takeRecords()) changed += addedNodes.length;
      }
      Document.prototype.write = write;
      return {written, changed};
    }, html);
    expect(written).toBe(html.length);
    expect(changed).toBeLessThanOrEqual(nodes);
  });

  async function body(html: string, bytes?: number): Promise<string> {
    return (await shown(html, bytes)).body;
  }

  /** Returns the inside of head and body after `bytes` bytes, by default after all. */
  function shown(html: string, bytes = new TextEncoder().encode(html).length) {
    return page.evaluate(
      ({html, bytes}) => {
        const {document, frame} = growing(html);
        document.show(bytes);
        const {EMPTY_IMAGE, BROKEN_IMAGE} = (globalThis as unknown as Bundle).panes;
        const inside = (element: HTMLElement | null) =>
          (element?.innerHTML ?? '')
            .replaceAll(EMPTY_IMAGE, 'empty')
            .replaceAll(BROKEN_IMAGE, 'broken')
            .replaceAll(/src="data:image\/svg[^"]*"/g, 'src="box"');
        return {head: inside(frame.head), body: inside(frame.body)};
      },
      {html, bytes},
    );
  }
});

/** HTML for which a parser goes back and moves elements that it has already placed. */
const HOSTILE = `<!-- c --><p>hé<b>x<p>y<i>z</b>w</i><table>foster<tr><td>q<img src=lake.jpg></table>tail
<img src=boat.jpg alt="a > b"><table><tr><td>1</td></tr>text<b>bold<tr><td>2<img src=lake.jpg><style>p {}</style>
</table><a href=x>1<a href=y>2<div>3</a>4</div><html lang=en><body class=k onload=x>&amp;&notin;&am
<select><option>1<option>2</select><svg><p>out</p></svg><ruby>a<rt>b</ruby><script>"</p>"</script><plaintext>end`;

/** HTML whose frameset makes a parser remove the body. */
const FRAMES = '<div></div> <section></section> <frameset cols="*"><frame src="/x"></frameset>';

interface Bundle {
  readonly panes: typeof growingDocument &
    typeof frameDocument & {readonly EMPTY_IMAGE: string; readonly BROKEN_IMAGE: string};
}

/** Runs in the browser. Makes a frame with the document of a page with this HTML, of which no byte has arrived yet. */
function growing(html: string) {
  const element = document.createElement('iframe');
  element.setAttribute('sandbox', 'allow-same-origin');
  document.body.append(element);
  const frame = element.contentDocument as Document;
  const bytes = new TextEncoder().encode(html);
  const objects = ['/', '/lake.jpg', '/style.css', '/img/boat.jpg'].map((url, object) => {
    return {url, contentType: '', body: object === 0 ? bytes : new Uint8Array()};
  });
  const {openFrame, GrowingDocument} = (globalThis as unknown as Bundle).panes;
  openFrame(frame, bytes);
  const page = {name: '', objects, headerBytes: 0, requestBytes: 0};
  return {frame, document: new GrowingDocument(frame, page, () => undefined)};
}
