import {beforeEach, expect, test} from 'vitest';
import {FullScreen, type FullScreenDocument} from './fullScreen.ts';

/** A document in which the test decides when requested changes are made and when their events are sent. */
class SlowDocument extends EventTarget {
  fullscreenElement: Element | null = null;
  readonly asked: string[] = [];
  #pending: (() => void)[] = [];

  readonly documentElement = {requestFullscreen: () => this.#ask('request', {} as Element)};

  exitFullscreen(): Promise<void> {
    return this.#ask('exit', null);
  }

  /** Makes the changes that were requested. */
  async settle(): Promise<void> {
    for (const change of this.#pending.splice(0)) change();
    await new Promise(resolve => setImmediate(resolve));
  }

  changed(): void {
    this.dispatchEvent(new Event('fullscreenchange'));
  }

  #ask(name: string, element: Element | null): Promise<void> {
    this.asked.push(name);
    return new Promise(resolve => {
      this.#pending.push(() => {
        this.fullscreenElement = element;
        resolve();
      });
    });
  }
}

let page: SlowDocument;
let fullScreen: FullScreen;
let left: number;

beforeEach(() => {
  page = new SlowDocument();
  fullScreen = new FullScreen(page as unknown as FullScreenDocument);
  left = 0;
  fullScreen.onLeave(() => {
    left += 1;
  });
});

test('full screen is entered and left, and listeners are not told about an exit that was requested', async () => {
  void fullScreen.set(true);
  await page.settle();
  page.changed();
  expect(page.fullscreenElement).not.toBe(null);
  void fullScreen.set(false);
  await page.settle();
  page.changed();
  expect(page.fullscreenElement).toBe(null);
  expect([page.asked, left]).toEqual([['request', 'exit'], 0]);
});

test('listeners are told once when the user leaves full screen', async () => {
  void fullScreen.set(true);
  await page.settle();
  page.changed();
  page.fullscreenElement = null;
  page.changed();
  page.changed();
  expect(left).toBe(1);
  void fullScreen.set(true);
  await page.settle();
  expect(page.fullscreenElement).not.toBe(null);
});

test('the delayed event of an earlier exit does not end full screen that was requested again', async () => {
  void fullScreen.set(true);
  await page.settle();
  page.changed();
  void fullScreen.set(false);
  void fullScreen.set(true);
  // the exit is made and its event is sent after full screen was requested again
  await page.settle();
  page.changed();
  expect(left).toBe(0);
  await page.settle();
  expect(page.fullscreenElement).not.toBe(null);
  expect(page.asked).toEqual(['request', 'exit', 'request']);
});

test('of several requests during a change, only the last counts', async () => {
  void fullScreen.set(true);
  for (const isWanted of [false, true, false]) void fullScreen.set(isWanted);
  await page.settle();
  await page.settle();
  await page.settle();
  expect(page.fullscreenElement).toBe(null);
  expect(page.asked).toEqual(['request', 'exit']);
});

test('a browser that refuses is asked once, and a later event does not count as an exit by the user', async () => {
  let asked = 0;
  page.documentElement.requestFullscreen = () => {
    asked += 1;
    return Promise.reject(new TypeError('not allowed'));
  };
  await fullScreen.set(true);
  page.changed();
  expect([asked, left]).toEqual([1, 0]);
});
