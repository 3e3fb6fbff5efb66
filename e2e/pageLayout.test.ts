import {copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createServer, type Server} from 'node:http';
import type {AddressInfo} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {Trace} from '../app/run/trace/trace.ts';
import {runFolder} from '../main/workers/testing/runs.ts';
import {openInWindow, openUnmeasuredWindow, seek, sharedBrowser, type TestWindow, whySkipped} from './window.ts';

// Before its images have arrived, a pane's page must be laid out as Chromium itself lays it out while a server stalls.

const FIXTURES = new URL('../fixtures/pages/', import.meta.url);

const OWN: {readonly [name: string]: string} = {
  'declared sizes, scaled by style': `<!DOCTYPE html><style>img { max-width: 100%; height: auto } section { width: 147px }
    .grid { display: grid; grid-template-columns: 1fr 1fr; width: 300px } .flex { display: flex; width: 400px }
    .wide img { width: 100% } .least img { min-width: 200px }</style>
    <section><img src=a.png width=320 height=240></section>
    <div class=grid><img src=a.png width=320 height=240><img src=b.png width=100 height=300><p>text</div>
    <div class=flex><img src=a.png width=320 height=240><img src=b.png width=50 height=20></div>
    <div class="wide grid"><img src=a.png width=4 height=3><img src=c.png style="aspect-ratio: 2"></div>
    <section class=least><img src=a.png width=100 height=50></section><p>after`,
  'sizes that are not declared': `<!DOCTYPE html><p>a<img src=a.png alt="some text">b<img src=b.png>c
    <div style="width: 200px"><img src=a.png style="width: 100%; height: auto"></div><img src=c.png width=60>
    <img src=c.png height=50 alt=x><img src=a.png style="object-fit: cover; width: 90px; height: 90px">
    <img src=b.png style="border: 3px solid; padding: 2px"><table><tr><td><img src=a.png width="100%" height=40></table>
    <img alt="no image named"><p>after`,
  'no doctype': `<title>q</title><style>table { font-size: 20px } p { height: 50% }</style>
    <table><tr><td>a table in quirks mode<td><img src=a.png width=30 height=30></table><p>x<div>y</div>`,
  'almost standards': `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
    <table><tr><td><img src="a.png" width="30" height="30" /></td></tr></table><p>after</p>`,
  'children that are counted': `<!DOCTYPE html><style>main > :nth-child(3) { margin-left: 100px } p + p { margin-top: 50px }
    p:last-child { height: 70px }</style><main><script>1</script><p>one</p><p>two</p><link rel=icon href=a.png><p>three</p>
    <noscript><p>without scripts</p></noscript><p>four</p><template><p>never</p></template><p>five</p></main>`,
  'what cannot be shown': `<!DOCTYPE html><style>.wrap { position: relative; width: 320px; padding-top: 56% }
    .wrap iframe { position: absolute; inset: 0; width: 100%; height: 100% } video { width: 50%; height: auto }</style>
    <div class=wrap><iframe src=stalled.html></iframe></div><iframe src=stalled.html width=200 height=50></iframe>
    <video width=640 height=360></video><audio></audio><input type=image src=a.png width=40 height=30>
    <picture><source srcset=a.webp type=image/webp><img src=a.png width=100 height=60></picture>
    <svg width=90 height=40><image href=a.png width=50 height=20 /></svg><p>after`,
};

describe.skipIf(whySkipped !== '')(`a page without its images${whySkipped}`, () => {
  let server: Server;
  let html: Uint8Array;
  let address: string;
  let folder: string;
  let window: TestWindow;
  beforeAll(async () => {
    server = createServer((request, response) => {
      if (request.url === '/') response.setHeader('Content-Type', 'text/html').end(html);
      // all other requests stay unanswered
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    folder = mkdtempSync(join(tmpdir(), 'interleave-layout-'));
    window = await openUnmeasuredWindow();
  });
  afterAll(async () => {
    await window?.close();
    server?.closeAllConnections();
    await new Promise(resolve => server?.close(resolve));
    rmSync(folder, {recursive: true});
  });

  test.each(['gallery', 'r02', 'l06', 'text-10k'])('is laid out as a browser does: %s', async name => {
    html = readFileSync(new URL(`${name}/index.html`, FIXTURES));
    await expectSameBoxes(name);
  });

  test.each(Object.entries(OWN))('is laid out as a browser does: %s', async (title, own) => {
    html = new TextEncoder().encode(own);
    // each page has a folder of its own, because the window keeps a page as it was opened
    const page = join(folder, title);
    mkdirSync(page);
    writeFileSync(join(page, 'index.html'), html);
    for (const name of ['a.png', 'b.png', 'c.png']) {
      copyFileSync(new URL('gallery-png/logo.png', FIXTURES), join(page, name));
    }
    await expectSameBoxes(page);
  });

  async function expectSameBoxes(page: string): Promise<void> {
    const scenario = {page, path: {rttMs: 200}, discovery: 'complete'};
    const [trace] = (await runFolder(scenario)).panes.map(data => new Trace(data));
    const tNs = trace?.objects[0]?.completeNs ?? 0;
    expect(trace?.objects.every((_, object) => object === 0 || trace.bytesAt(object, tNs) === 0)).toBe(true);
    await openInWindow(window, scenario);
    await seek(window.page, tNs / 1e9);
    const ours = await window.page.evaluate(frameBoxes);
    const browser = await sharedBrowser();
    const context = await browser.newContext({
      javaScriptEnabled: false,
      viewport: {width: ours.width, height: ours.height},
    });
    const itself = await context.newPage();
    await itself.goto(address, {waitUntil: 'domcontentloaded'});
    const theirs = await itself.evaluate(pageBoxes);
    await context.close();
    expect(ours.boxes.length).toBeGreaterThan(3);
    expect(ours.boxes).toEqual(theirs);
  }
});

/** Runs in the window. Returns where the elements of the first pane's page are. */
function frameBoxes() {
  const frame = document.querySelector<HTMLIFrameElement>('.pane iframe');
  const elements = Array.from(frame?.contentDocument?.querySelectorAll('body *') ?? []);
  const boxes = elements.map(element => {
    const {x, y, width, height} = element.getBoundingClientRect();
    return [element.localName, x, y, width, height].join(' ');
  });
  return {width: frame?.offsetWidth ?? 0, height: frame?.offsetHeight ?? 0, boxes};
}

/** Runs in the page itself. Returns the same. */
function pageBoxes() {
  return Array.from(document.querySelectorAll('body *'), element => {
    const {x, y, width, height} = element.getBoundingClientRect();
    return [element.localName, x, y, width, height].join(' ');
  });
}
