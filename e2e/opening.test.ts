import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {createServer, type Server, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {startServer} from '../main/live/server/liveServer.ts';
import {openPage} from '../main/pages/openPage.ts';
import {openUnmeasuredWindow, type TestWindow, whySkipped} from './window.ts';

// Opens pages from elsewhere in one window, one after the other.

const PAGES = join(import.meta.dirname, '../fixtures/pages');
const lake = readFileSync(join(PAGES, 'gallery/lake.jpg'));
const page = (title: string) => `<h1>${title}</h1><script>1</script><img src=lake.jpg>`;
/** A script that inserts a picture, which only a browser can find. */
const SHOP = "document.body.append(Object.assign(new Image(), {src: 'lake.jpg', alt: 'the lake'}))";
const SCENARIO = {page: 'gallery', path: {rateBps: 1e6, rttMs: 50}, panes: [{pipeline: 'tcp'}]};

describe.skipIf(whySkipped !== '')(`opening pages${whySkipped}`, () => {
  let window: TestWindow;
  let server: Server;
  let address: string;
  let folder: string;
  /** Requests that nobody answers. */
  const waiting: ServerResponse[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'interleave-opening-'));
    process.env['XDG_CACHE_HOME'] = folder;
    const pages = new Map([
      ['/', `${page('Lake')}<img src=gone.jpg>`],
      ['/shop', '<h1>Shop</h1><script src=shop.js></script>'],
      ['/waits', `${page('Waits')}<img src=never.jpg>`],
    ]);
    server = createServer(({url = ''}, response) => {
      if (url === '/lake.jpg') response.end(lake);
      else if (url === '/shop.js') response.setHeader('content-type', 'text/javascript').end(SHOP);
      else if (url === '/never.jpg') waiting.push(response);
      else if (pages.has(url)) response.setHeader('content-type', 'text/html').end(pages.get(url));
      else response.writeHead(404).end();
    });
    await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    window = await openUnmeasuredWindow(SCENARIO);
  });
  afterAll(async () => {
    await window?.close();
    server.closeAllConnections();
    server.close();
    rmSync(folder, {recursive: true});
  });

  test('a private address is refused until it is allowed, and what is left out is listed', async () => {
    const {page} = window;
    await page.keyboard.press('Control+l');
    await page.keyboard.insertText(address);
    await page.keyboard.press('Enter');
    await alert(/127\.0\.0\.1 is not a public address/).waitFor();
    expect(await shownPage()).toBe('gallery');
    await page.getByRole('button', {name: 'Allow private addresses for this page'}).click();
    await shows('Lake');
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.getByRole('button', {name: '2 left out'}).click();
    const list = page.getByRole('dialog');
    await list.getByText(/^1 script:/).waitFor();
    await list.getByText(`${address}gone.jpg`).waitFor();
    await list.getByText('the server answers 404').waitFor();
    await page.keyboard.press('Escape');
    await list.waitFor({state: 'detached'});
    // opening a page is one step to undo
    await page.keyboard.press('Control+z');
    await expect.poll(shownPage).toBe('gallery');
    await page.keyboard.press('Control+Shift+z');
    await shows('Lake');
  });

  test('an address over SCTP is opened like any other', async () => {
    const served = await openPage({kind: 'named', name: 'gallery'}, PAGES);
    const live = await startServer({page: served, host: '127.0.0.1', port: 0, token: undefined});
    try {
      const before = await shownPage();
      await window.page.keyboard.press('Control+l');
      await window.page.keyboard.insertText(`sctp://127.0.0.1:${live.port}/`);
      await window.page.keyboard.press('Enter');
      await window.page.getByRole('button', {name: 'Allow private'}).click();
      await expect.poll(shownPage).toBe(`sctp://127.0.0.1:${live.port}/`);
      await shows('Ten Views');
      await window.page.keyboard.press('Control+z');
      await expect.poll(shownPage).toBe(before);
    } finally {
      await live.close();
    }
  });

  test('can be cancelled in the middle, and nothing is left of the cancelled page', async () => {
    const {page} = window;
    await page.keyboard.press('Control+l');
    await page.keyboard.insertText(`${address}waits`);
    await page.keyboard.press('Enter');
    await page.getByRole('button', {name: 'Allow private'}).click();
    await page.getByRole('status').getByText(`Opening ${address}waits: 1 of 2 objects`).waitFor();
    await page.getByRole('button', {name: 'Cancel'}).click();
    await expect.poll(() => waiting.map(response => response.destroyed)).toEqual([true]);
    expect(await page.locator('.notice').count()).toBe(0);
    expect(await shownPage()).toBe(address);
    // the address row has the address of the shown page again
    await page.keyboard.press('Control+l');
    await page.keyboard.press('Escape');
    expect(await page.getByLabel('address of a page').inputValue()).toBe(address);
  });

  test('an installed Chromium loads the page if a box is checked, and can be cancelled', {tags: ['long']}, async () => {
    const {page} = window;
    waiting.length = 0;
    const box = page.getByLabel('load once in the installed Chromium');
    await expect.poll(() => box.isVisible()).toBe(false);
    await page.keyboard.press('Control+l');
    // a click on the text of the box must not hide the box
    await page.getByText('record what it asks for').click();
    await expect.poll(() => box.isChecked()).toBe(true);
    await page.keyboard.press('Control+l');
    await page.keyboard.insertText(`${address}waits`);
    await page.screenshot({path: process.env['SHOT'] ?? join(folder, 'box.png')});
    await page.keyboard.press('Enter');
    await page.getByRole('button', {name: 'Allow private'}).click();
    await page.getByRole('status').getByText(`Opening ${address}waits in Chromium: `).waitFor();
    await expect.poll(() => waiting.at(-1)?.destroyed).toBe(false);
    await page.getByRole('button', {name: 'Cancel'}).click();
    await expect.poll(() => waiting.at(-1)?.destroyed).toBe(true);
    expect(await page.locator('.notice').count()).toBe(0);
    await page.keyboard.press('Control+l');
    await page.keyboard.insertText(`${address}shop`);
    await page.keyboard.press('Enter');
    await page.getByRole('button', {name: 'Allow private'}).click();
    await shows('Shop');
    // what the script inserted is shown, because the load follows the recording
    const frame = page.locator('iframe').first().contentFrame();
    await frame.locator('[data-object]').first().waitFor();
    expect(await savedScenario()).toMatchObject({browser: 'chromium', page: {name: `${address}shop`}});
    const browser = process.env['INTERLEAVE_BROWSER'];
    process.env['INTERLEAVE_BROWSER'] = '/bin/false';
    await page.keyboard.press('Control+l');
    await page.keyboard.press('Enter');
    await alert(`${address}shop cannot be opened: /bin/false does not start`).waitFor();
    if (browser === undefined) delete process.env['INTERLEAVE_BROWSER'];
    else process.env['INTERLEAVE_BROWSER'] = browser;
    await page.getByRole('button', {name: 'Dismiss'}).click();
    await page.keyboard.press('Control+l');
    await box.uncheck();
    await page.keyboard.press('Escape');
  });

  test('HTML that is dropped with its picture can be saved and opened again as the same page', {
    tags: ['long'],
  }, async () => {
    const {page: tab} = window;
    // the list must have this page, also if only tests with the tag `long` are run
    await tab.keyboard.press('Control+l');
    await tab.keyboard.insertText(address);
    await tab.keyboard.press('Enter');
    await tab.getByRole('button', {name: 'Allow private'}).click();
    await shows('Lake');
    await drop({'index.html': Buffer.from(page('Dropped')), 'lake.jpg': lake});
    await shows('Dropped');
    await tab.getByRole('button', {name: '1 left out'}).waitFor();
    const {page: before} = await savedScenario();
    await tab.keyboard.press('Control+o');
    const saving = tab.waitForEvent('download');
    await tab.locator('.kept-pages li').first().getByRole('button', {name: 'Save'}).click();
    const zip = readFileSync(await (await saving).path());
    // the previous page is opened again from the list
    await tab.getByRole('button', {name: address, exact: true}).click();
    await shows('Lake');
    await drop({'other.zip': zip});
    await shows('Dropped');
    expect((await savedScenario()).page).toEqual(before);
    await drop({'no.zip': Buffer.from('no zip')});
    await alert(/no\.zip cannot be opened: /).waitFor();
    await tab.getByRole('button', {name: 'Dismiss'}).click();
  });

  test('a dropped trace of a browser opens as a page, and is loaded as in Chromium', {tags: ['long']}, async () => {
    const {page: tab} = window;
    const at = (name: string, ts: number, data: object) => ({name, ph: 'I', ts, pid: 1, tid: 2, args: {data}});
    const traceEvents = [
      at('ResourceSendRequest', 0, {requestId: 1, url: 'https://shop.test/', resourceType: 'Document'}),
      at('ResourceFinish', 9, {requestId: 1, decodedBodyLength: 3000, encodedDataLength: 1000}),
    ];
    await drop({'Trace-20261128.json': Buffer.from(JSON.stringify({metadata: {}, traceEvents}))});
    await expect.poll(shownPage).toBe('Trace-20261128.json');
    await tab.locator('html[data-state=ready]').waitFor();
    expect(await savedScenario()).toMatchObject({browser: 'chromium', page: {name: 'Trace-20261128.json'}});
    await tab.getByRole('button', {name: '1 left out'}).click();
    await tab.getByRole('dialog').getByText('the page shows placeholders').waitFor();
    await tab.keyboard.press('Escape');
    await drop({'bad.json': Buffer.from('{"traceEvents": []}')});
    await alert(/bad\.json cannot be opened: .*has no request for a page/).waitFor();
    await tab.getByRole('button', {name: 'Dismiss'}).click();
    await tab.keyboard.press('Control+z');
  });

  test('a folder can be chosen', async () => {
    const {page} = window;
    await page.locator('#open-folder').setInputFiles(join(PAGES, 'gallery-3k'));
    await shows('Ten Views');
    expect(await savedScenario()).toMatchObject({page: {name: 'gallery-3k'}});
  });

  test('if the page of a scenario is not stored here, the window offers to fetch it', {tags: ['long']}, async () => {
    const {page} = window;
    const missing = {...SCENARIO, seed: 5, page: {bundle: 'a'.repeat(64), name: address}};
    await drop({'missing.json': Buffer.from(JSON.stringify(missing))});
    await alert(/missing\.json cannot be opened: .* is not stored on this machine/).waitFor();
    await page.getByRole('button', {name: `Fetch ${address}`}).click();
    await page.getByRole('button', {name: 'Allow private'}).click();
    await shows('Lake');
    await alert(/has changed: the scenario was made with other content/).waitFor();
    expect(await savedScenario()).toMatchObject({seed: 5, page: {name: address}});
    await page.getByRole('button', {name: 'Dismiss'}).click();
  });

  test('a link that is dropped is fetched', {tags: ['long']}, async () => {
    const {page} = window;
    await page.evaluate(link => {
      const dataTransfer = new DataTransfer();
      dataTransfer.setData('text/uri-list', `# a list\r\n${link}`);
      dispatchEvent(new DragEvent('drop', {dataTransfer}));
    }, `${address}none`);
    await alert(`${address}none cannot be opened: 127.0.0.1 is not a public address`).waitFor();
    await page.getByRole('button', {name: 'Allow private'}).click();
    await alert('the server answers 404').waitFor();
    await page.getByRole('button', {name: 'Dismiss'}).click();
  });

  const alert = (text: string | RegExp) => window.page.getByRole('alert').getByText(text);

  /** The name of the chosen page in the list of pages. */
  function shownPage(): Promise<string> {
    return window.page
      .getByLabel('Page', {exact: true})
      .evaluate(select => (select as HTMLSelectElement).selectedOptions[0]?.textContent ?? '');
  }

  /** Resolves when the page with this heading is shown, at the end of its load. */
  async function shows(heading: string): Promise<void> {
    const {page} = window;
    await page.locator('html[data-state=ready]').waitFor();
    const frame = page.locator('iframe').first().contentFrame();
    await expect
      .poll(async () => {
        await page.keyboard.press('End');
        return frame.getByRole('heading', {name: heading}).isVisible();
      })
      .toBe(true);
  }

  async function savedScenario(): Promise<{readonly page: unknown}> {
    const saving = window.page.waitForEvent('download');
    await window.page.keyboard.press('Control+s');
    return JSON.parse(readFileSync(await (await saving).path(), 'utf8'));
  }

  /** Drops files on the window, as from a desktop. */
  async function drop(files: {readonly [name: string]: Buffer}): Promise<void> {
    const sent = Object.entries(files).map(([name, bytes]) => ({name, base64: bytes.toString('base64')}));
    await window.page.evaluate(all => {
      const dataTransfer = new DataTransfer();
      for (const {name, base64} of all) {
        const bytes = Uint8Array.from(atob(base64), character => character.charCodeAt(0));
        dataTransfer.items.add(new File([bytes], name));
      }
      dispatchEvent(new DragEvent('drop', {dataTransfer}));
    }, sent);
  }
});
