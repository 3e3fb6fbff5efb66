import {once} from 'node:events';
import {connect, createServer, type Server, type Socket} from 'node:net';
import type {Page} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {type LiveServer, startServer} from '../main/live/server/liveServer.ts';
import {openPage} from '../main/pages/openPage.ts';
import {openInWindow, openUnmeasuredWindow, type TestWindow, whySkipped} from './window.ts';

// The window loads a page from real servers, in real time.

let server: LiveServer;
let window: TestWindow;
let page: Page;
let relay: HeldRelay | undefined;

/**
 * A relay to a server over the kernel's TCP. It passes as many of the server's bytes as the test allows, and holds back
 * the rest.
 */
class HeldRelay {
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  readonly #pumps = new Set<() => void>();
  #allowedBytes = 0;

  constructor(port: number) {
    this.#server = createServer(near => {
      const far = connect(port, '127.0.0.1');
      for (const socket of [near, far]) {
        this.#sockets.add(socket);
        socket.on('error', () => undefined).on('close', () => this.#sockets.delete(socket));
      }
      const pump = () => this.#pump(far, near);
      this.#pumps.add(pump);
      near.on('close', () => {
        this.#pumps.delete(pump);
        far.destroy();
      });
      near.pipe(far);
      far.on('readable', pump);
    });
  }

  /** Passes this many more bytes, over all connections together. */
  pass(bytes: number): void {
    this.#allowedBytes += bytes;
    for (const pump of this.#pumps) pump();
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    return `127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  }

  /** The number of open sockets on both sides. */
  get open(): number {
    return this.#sockets.size;
  }

  /** Ends everything, as if the server had been killed. */
  stop(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #pump(from: Socket, to: Socket): void {
    const bytes = Math.min(this.#allowedBytes, from.readableLength);
    const piece = bytes > 0 ? from.read(bytes) : null;
    if (piece === null) return;
    this.#allowedBytes -= piece.length;
    to.write(piece);
  }
}

/** A part of the gallery's 105 kB, which has some of its first pictures. */
const A_PART_BYTES = 30_000;

async function openRelay(): Promise<string> {
  relay?.stop();
  relay = new HeldRelay(server.port);
  return relay.listen();
}

beforeAll(async () => {
  const served = await openPage({kind: 'named', name: 'gallery'}, 'fixtures/pages');
  server = await startServer({page: served, host: '127.0.0.1', port: 0, token: undefined});
  if (whySkipped !== '') return;
  window = await openUnmeasuredWindow(scenarioOf(`127.0.0.1:${server.port}`));
  page = window.page;
});

afterAll(async () => {
  await window?.close();
  relay?.stop();
  await server.close();
});

function scenarioOf(live: string, more: object = {}) {
  return {page: 'gallery', path: {live, ...more}, panes: [{pipeline: 'tcp'}, {pipeline: 'sctp', streams: 4}]};
}

function percents(): Promise<readonly number[]> {
  return page.locator('.pane-percent').evaluateAll(all => all.map(each => Number.parseInt(each.textContent ?? '', 10)));
}

function progress(): Promise<readonly string[]> {
  return page.locator('.pane-progress').allTextContents();
}

function endings(): Promise<readonly string[]> {
  return page.locator('.pane-ending').allTextContents();
}

describe(`a live load in the window${whySkipped}`, {skip: whySkipped !== ''}, () => {
  test('is complete in both panes, and can then be scrubbed like any other', async () => {
    await page.keyboard.press('End');
    await expect.poll(endings).toEqual([expect.stringMatching(/^complete/), expect.stringMatching(/^complete/)]);
    expect(await percents()).toEqual([100, 100]);
    await page.keyboard.press('Home');
    expect(await percents()).toEqual([0, 0]);
    const honest = await page.locator('.honesty').textContent();
    expect(honest).toContain(`live from 127.0.0.1:${server.port}, one pane after the other`);
    expect(honest).not.toContain('same fate');
    expect(honest).not.toContain('lost down');
    expect(await progress()).toEqual(['0 KB', '0 KB']);
  });

  test('grows while bytes arrive, and Escape ends it and keeps what has arrived', async () => {
    const live = await openRelay();
    await openGrowing(scenarioOf(live));
    const [before = 0] = await percents();
    relay?.pass(A_PART_BYTES);
    await expect.poll(async () => (await percents())[0]).toBeGreaterThan(before + 3);
    expect(await page.locator('.pane-loading').allTextContents()).toEqual(['loading…', 'waits for its turn']);
    expect(await page.locator('html').getAttribute('data-state')).toBe('loading');
    await page.keyboard.press('Escape');
    await expect.poll(() => relay?.open).toBe(0);
    await page.keyboard.press('End');
    expect(await endings()).toEqual([
      expect.stringContaining('ended by the user'),
      expect.stringContaining('ended by the user'),
    ]);
    const [kept = 0] = await percents();
    expect(kept).toBeGreaterThan(before);
    await page.keyboard.press('Home');
    expect((await percents())[0]).toBe(0);
  });

  test('shows its progress in each header even if there is little room', async () => {
    const live = await openRelay();
    const own = {path: {live: `127.0.0.1:${server.port}`}};
    const panes = [{pipeline: 'tcp'}, {pipeline: 'tcp', connections: 4}, {pipeline: 'sctp', ...own}];
    await page.setViewportSize({width: 1024, height: 768});
    await openGrowing({...scenarioOf(live), panes});
    expect(await page.locator('.pane').evaluateAll(progressOutside)).toEqual([]);
    await page.setViewportSize({width: 1280, height: 720});
    // the relay is new, because the previous load would use up the bytes that it passes
    await openGrowing(scenarioOf(await openRelay()));
    await page.getByRole('button', {name: 'waterfall', exact: true}).click();
    for (const words of ['loading…', 'waits for its turn'])
      expect(await page.locator('.pane-loading', {hasText: words}).isVisible()).toBe(true);
    expect(await page.locator('.timeline-bar button', {hasText: 'model'}).isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    await page.getByRole('button', {name: 'percent', exact: true}).click();
  });

  test('from a server that is killed says so, and keeps what has arrived', async () => {
    const live = await openRelay();
    await openGrowing(scenarioOf(live, {atOnce: true}));
    relay?.stop();
    await page.locator('html[data-state=ready]').waitFor();
    await page.keyboard.press('End');
    const [ending = ''] = await endings();
    expect(ending).toMatch(/^aborted, no page time: ./);
    const [kept = 0] = await percents();
    expect(kept).toBeGreaterThan(0);
    expect(kept).toBeLessThan(100);
    expect(await page.locator('.honesty').textContent()).toContain('all at once');
  });

  test('begins when an address is typed, and can be replaced by a computed load again', async () => {
    await openInWindow(window, {page: 'gallery'});
    await page.getByRole('button', {name: 'live…'}).click();
    await page.keyboard.type('nowhere');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByRole('alert').first().textContent()).toContain('path.live is "nowhere"');
    await page.getByRole('textbox', {name: 'Server'}).fill(`127.0.0.1:${server.port}`);
    await page.keyboard.press('Enter');
    await expect.poll(endings).toEqual([expect.stringMatching(/^complete/), expect.stringMatching(/^complete/)]);
    expect(await page.locator('.honesty').textContent()).toContain('live from');
    // the window handles keys again
    await page.keyboard.press('3');
    expect(await page.getByRole('textbox', {name: 'Server'}).inputValue()).toBe(`127.0.0.1:${server.port}`);
    await page.getByRole('button', {name: 'back to emulated'}).click();
    await expect.poll(() => page.locator('.honesty').textContent()).toContain('same fate');
  });

  test('ends with its window, and closes all of its sockets', async () => {
    await openGrowing(scenarioOf(await openRelay()));
    expect(relay?.open).toBeGreaterThan(0);
    await page.goto('about:blank');
    await expect.poll(() => relay?.open).toBe(0);
  });
});

/** Opens a scenario whose first pane loads through the relay, and waits until a part of the page has arrived. */
async function openGrowing(scenario: object): Promise<void> {
  relay?.pass(A_PART_BYTES);
  await page.evaluate(text => {
    const data = new DataTransfer();
    data.items.add(new File([text], 'live.json'));
    document.dispatchEvent(new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true}));
  }, JSON.stringify(scenario));
  await page.locator('.pane-loading', {hasText: 'loading…'}).first().waitFor();
  await expect.poll(async () => (await percents())[0]).toBeGreaterThan(2);
}

/** Runs in the browser. Returns the texts of the panes that do not show their bytes completely. */
function progressOutside(panes: readonly Element[]): readonly (string | null)[] {
  const faults = panes.filter(pane => {
    const header = pane.querySelector('.pane-header')?.getBoundingClientRect();
    const settings = pane.querySelector('.pane-settings')?.getBoundingClientRect();
    const bytes = pane.querySelector('.pane-progress > :not(:empty)')?.getBoundingClientRect();
    if (header === undefined || settings === undefined || bytes === undefined) return true;
    return bytes.left < settings.right || bytes.right > header.right + 1 || bytes.bottom > header.bottom + 1;
  });
  return faults.map(pane => pane.textContent);
}
