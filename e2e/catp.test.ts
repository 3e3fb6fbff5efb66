import {readFileSync} from 'node:fs';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {Trace} from '../app/run/trace/trace.ts';
import {runDocument} from '../main/workers/testing/runs.ts';
import {openUnmeasuredWindow, seek, type TestWindow, whySkipped} from './window.ts';

// Over CATP, the protocol of C03, a page gets its structure first. Its texts then fill in, each at its own place.

const scenario = {
  page: 'text-10k',
  // the second packet down, which has the first data frame of CATP, is lost
  path: {rateBps: 80_000, rttMs: 70, loss: {down: {packets: [1]}, up: 0}},
  panes: [{pipeline: 'udp'}, {pipeline: 'catp'}],
};
const html = readFileSync(new URL('../fixtures/pages/text-10k/index.html', import.meta.url));

describe.skipIf(whySkipped !== '')(`a page over CATP fills in${whySkipped}`, () => {
  const [udp, catp] = runDocument(scenario).panes.map(data => new Trace(data)) as [Trace, Trace];
  let window: TestWindow;
  beforeAll(async () => {
    window = await openUnmeasuredWindow(scenario);
  });
  afterAll(() => window?.close());

  test('its structure is shown before its text', async () => {
    const atNs = catp.deliveriesOf(0).atNs[0] ?? 0;
    const seconds = await seekAfter(atNs);
    expect(await window.page.frameLocator(frame(1)).locator('section').count()).toBe(sections());
    expect((await words(1)).length).toBeLessThan(3);
    expect(await window.page.frameLocator(frame(0)).locator('section').count()).toBe(0);
    expect(seconds).toBeLessThan(0.5);
  });

  test('it has exactly the words that have arrived, in any order, also when t goes back', async () => {
    const lost = catp.blockingOf(catp.droppedPackets()[0] ?? -1);
    for (const atNs of [(lost?.repairedNs ?? 0) - 20e6, catp.data.endNs, (lost?.repairedNs ?? 0) - 20e6]) {
      const seconds = await seekAfter(atNs);
      for (const [pane, trace] of [udp, catp].entries()) {
        const ranges = trace.rangesAt(0, seconds * 1e9);
        const shown = Buffer.concat(ranges.map(({first, end}) => html.subarray(first, end))).toString();
        expect(await words(pane), `pane ${pane + 1} at ${seconds} s`).toEqual(wordsOf(shown));
      }
    }
    const holed = catp.rangesAt(0, (lost?.repairedNs ?? 0) - 20e6);
    // beyond the hole there is text, and not tags alone
    expect((holed.at(-1)?.end ?? 0) - (holed[0]?.end ?? 0)).toBeGreaterThan(3000);
  });

  /** Seeks to the next hundredth of a second after `atNs`. Returns this time in seconds. */
  async function seekAfter(atNs: number): Promise<number> {
    const seconds = Math.ceil(atNs / 1e7) / 100;
    await seek(window.page, seconds);
    return seconds;
  }

  async function words(pane: number): Promise<readonly string[]> {
    const text = await window.page
      .frameLocator(frame(pane))
      .locator('html')
      .evaluate(element => {
        // everything that the pane itself adds is in the head of the document
        return element.querySelector('body')?.textContent ?? '';
      });
    return text.split(/\s+/).filter(word => word !== '');
  }
});

function frame(pane: number): string {
  return `.pane >> nth=${pane} >> iframe`;
}

function sections(): number {
  return html.toString().split('<section').length - 1;
}

/** The words of the body in this HTML. The page has no entities, and has a comment at its end. */
function wordsOf(shown: string): readonly string[] {
  const body = shown.slice(Math.max(shown.indexOf('<body>'), 0)).replace(/<!--.*?(-->|$)/gs, '');
  return body
    .replace(/<[^>]*>/g, '')
    .split(/\s+/)
    .filter(word => word !== '');
}
