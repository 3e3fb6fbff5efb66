import {join} from 'node:path';
import type {Browser, Page} from 'playwright-core';
import {build} from 'vite';
import type {PageSnapshot} from '../app/page/page.ts';
import type {ByteRange} from '../app/run/trace/shownRanges.ts';
import type {ObjectState, Trace} from '../app/run/trace/trace.ts';
import type * as modules from './paneScreenModules.ts';

/** What a pane shows of a page at one time. */
export interface PaneMoment {
  /** The state of each object. */
  readonly states: readonly ObjectState[];
  /** How many bytes of each object's body the client's application has. */
  readonly bytes: readonly number[];
  /** The parts of the HTML that the client's application has. */
  readonly html: readonly ByteRange[];
  /** For each insertion in the page's recording, the time when a script made it, ns; null if none did. */
  readonly insertedNs: readonly (number | null)[];
  readonly tNs: number;
}

/** What a pane shows of a load at t. */
export function momentOf(trace: Trace, tNs: number): PaneMoment {
  const {objects, milestones} = trace.data;
  return {
    states: objects.map((_, i) => trace.stateAt(i, tNs)),
    bytes: objects.map((_, i) => trace.bytesAt(i, tNs)),
    html: trace.rangesAt(0, tNs),
    insertedNs: milestones?.insertedNs ?? [],
    tNs,
  };
}

/**
 * Takes a picture (PNG) of each of these moments of a page. A picture is what a pane shows in a window of this size
 * (CSS px), without the coloured outlines of objects.
 */
export async function paneScreens(
  browser: Browser,
  page: PageSnapshot,
  size: {readonly width: number; readonly height: number},
  moments: readonly PaneMoment[],
): Promise<readonly Buffer[]> {
  const tab = await browser.newPage({viewport: size});
  try {
    await tab.setContent('<!doctype html><body style="margin: 0"></body>');
    paneScript ??= bundlePaneScript();
    await tab.addScriptTag({content: await paneScript});
    await openView(tab, page);
    const pictures: Buffer[] = [];
    for (const moment of moments) {
      await tab.evaluate(each => (globalThis as unknown as TabWithView).show(each), moment);
      pictures.push(await tab.screenshot());
    }
    return pictures;
  } finally {
    await tab.close();
  }
}

/** What the scripts below add to the tab. */
interface TabWithView {
  readonly panes: typeof modules;
  show(moment: PaneMoment): Promise<void>;
}

/** The bundle is the same for all pages of a process. */
let paneScript: Promise<string> | undefined;

async function bundlePaneScript(): Promise<string> {
  const entry = join(import.meta.dirname, 'paneScreenModules.ts');
  const lib = {entry, name: 'panes', formats: ['iife' as const]};
  const built = await build({configFile: false, logLevel: 'error', build: {write: false, lib}});
  const [bundle] = Array.isArray(built) ? built : [];
  return bundle?.output[0].code ?? '';
}

async function openView(tab: Page, page: PageSnapshot): Promise<void> {
  const objects = page.objects.map(({body, ...object}) => ({
    ...object,
    body: body === null ? null : Buffer.from(body).toString('base64'),
  }));
  await tab.evaluate(objects => {
    const {PageView, decodeToPixels} = (globalThis as unknown as TabWithView).panes;
    const frame = document.createElement('iframe');
    frame.setAttribute('sandbox', 'allow-same-origin');
    frame.setAttribute('scrolling', 'no');
    frame.style.cssText = 'border: 0; display: block; width: 100vw; height: 100vh';
    document.body.append(frame);
    const decoded = objects.map(({body, ...object}) => ({
      ...object,
      body: body === null ? null : Uint8Array.from(atob(body), each => each.charCodeAt(0)),
    }));
    const traceOf = ({states, bytes, html, insertedNs}: PaneMoment) =>
      ({
        data: {milestones: {insertedNs}},
        stateAt: (object: number) => states[object] ?? 'unknown',
        bytesAt: (object: number) => bytes[object] ?? 0,
        rangesAt: () => html,
      }) as unknown as Trace;
    const nothing = traceOf({states: [], bytes: [], html: [], insertedNs: [], tNs: 0});
    const snapshot = {name: '', objects: decoded, headerBytes: 0, requestBytes: 0};
    const view = new PageView(frame.contentDocument as Document, snapshot, nothing, decodeToPixels);
    const show = async (moment: PaneMoment): Promise<void> => {
      view.setTrace(traceOf(moment));
      await view.show(moment.tNs);
    };
    Object.assign(globalThis, {show});
  }, objects);
}
