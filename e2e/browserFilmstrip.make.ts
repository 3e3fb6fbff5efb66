import {writeFileSync} from 'node:fs';
import {setTimeout as sleep} from 'node:timers/promises';
import sharp from 'sharp';
import {test} from 'vitest';
import type {PageSnapshot} from '../app/page/page.ts';
import {measure} from '../app/run/metrics/metrics.ts';
import {estimate} from '../app/run/metrics/statistics.ts';
import {Trace} from '../app/run/trace/trace.ts';
import type {TraceData} from '../app/run/trace/traceData.ts';
import {loadToMeasure} from '../main/engine/load.ts';
import {findBrowser} from '../main/setup/browser.mjs';
import {comparePictures} from './comparePictures.ts';
import {momentOf, paneScreens} from './paneScreens.ts';
import {type BrowserLoad, VIEWPORT} from './realBrowsers/browserLoad.ts';
import {type FilmedLoad, startChromium} from './realBrowsers/chromium.ts';
import {scenarioOf} from './realBrowsers/computed.ts';
import {drawFilmstrip, medianLoad, screenAt} from './realBrowsers/filmstrip.ts';
import {numbersByPath, snapshotOf, VALIDATION_PAGES} from './realBrowsers/pages.ts';
import {withRealBrowser} from './realBrowsers/realLoads.ts';
import {versionOf} from './realBrowsers/servers.ts';
import {openBrowser} from './window.ts';

// Makes the picture in README with a real Chromium's load above the computed one (docs/real-browsers.md).
// main/setup/browserFilmstrip.mjs reads the options.

interface Options {
  /** The number of loads whose screen is recorded. The same number of loads is made without a recording. */
  readonly loads: number;
  readonly out: string;
}

const {loads, out} = JSON.parse(process.env['INTERLEAVE_BROWSER_FILMSTRIP'] ?? '{}') as Options;

/** Both loads lose every fiftieth packet with data from the server: packets 49, 99, 149 and so on, counted from 0. */
const LOST = Array.from({length: 100}, (_, i) => 49 + 50 * i);

const CASE = {
  browser: 'chromium',
  server: 'nginx',
  protocol: 'h2',
  path: {
    rateBps: {down: 1_600_000, up: 750_000},
    rttMs: 150,
    loss: {down: {packets: LOST, applies: 'data'}, up: 0},
  },
} as const;

const TIMES_MS = [1000, 1500, 2000, 2500, 3000, 3500, 4000, 4500];

/** The pause before a load, so that the path does not count packets of the previous load as packets of this load. */
const PAUSE_MS = 1500;

test('a filmstrip of a real browser', {timeout: 3_600_000}, async () => {
  const found = VALIDATION_PAGES.find(({name}) => name === 'today');
  if (found === undefined) throw new Error('no validation page has the name `today`');
  const page = await snapshotOf(found);
  const {filmed, plain} = await realLoadsOf(page);
  const chosen = medianLoad(filmed);
  const data = loadToMeasure(page, scenarioOf(CASE), 1, 0);
  const real = TIMES_MS.map(atMs => screenAt(chosen.frames, atMs).picture);
  const browser = await openBrowser();
  const trace = new Trace(data);
  const moments = TIMES_MS.map(atMs => momentOf(trace, atMs * 1e6));
  const computed = await paneScreens(browser, page, VIEWPORT, moments);
  await browser.close();
  const version = versionOf(findBrowser() ?? 'chromium', '--version').split('.')[0];
  const rows = [
    {label: `Chromium ${version}, nginx, HTTP/2 (real)`, screens: real},
    {label: 'Interleave, HTTP/2 (computed)', screens: computed},
  ];
  writeFileSync(out, await drawFilmstrip({timesMs: TIMES_MS, rows}));
  console.log(
    [
      `recorded: ${summary(filmed.map(({load}) => load))}`,
      `not recorded: ${summary(plain)}`,
      `shown: ${times(chosen.load)}; first paint on the screen ${await firstPaintMs(chosen)} ms`,
      `computed: ${times(measure(data))}`,
      ...(await differences(real, computed)),
      ...arrivals(page, chosen.load, data),
    ].join('\n'),
  );
});

/** Loads the page in turn with and without a recording of the screen. */
async function realLoadsOf(page: PageSnapshot) {
  const filmed: FilmedLoad[] = [];
  const plain: BrowserLoad[] = [];
  const start = (options: Parameters<typeof startChromium>[0]) => startChromium({...options, hidesScrollbars: true});
  await withRealBrowser(CASE, page, start, async ({browser, path, address}) => {
    const prepare = async (): Promise<void> => {
      await sleep(PAUSE_MS);
      await path.set(CASE.path, 1);
    };
    for (let i = 0; i < loads; i++) {
      await prepare();
      filmed.push(await browser.film(address));
      await prepare();
      plain.push(await browser.load(address));
    }
  });
  return {filmed, plain};
}

function summary(all: readonly BrowserLoad[]): string {
  const pages = all.map(({finishMs}) => finishMs).sort((a, b) => a - b);
  const [page, first, largest] = [pages, all.map(({fcpMs}) => fcpMs), all.map(({lcpMs}) => lcpMs)].map(
    each => estimate(each).median,
  );
  return `median page ${page} ms (${pages.join(', ')}), FCP ${first} ms, LCP ${largest} ms`;
}

function times({finishMs, fcpMs, lcpMs}: Pick<BrowserLoad, 'fcpMs' | 'lcpMs'> & {readonly finishMs: number | null}) {
  const [page, first, largest] = [finishMs, fcpMs, lcpMs].map(ms => (ms === null ? 'none' : `${Math.round(ms)} ms`));
  return `page ${page}, FCP ${first}, LCP ${largest}`;
}

/** The time of the first frame that is not blank, ms. If the times of frames are right, this time is close to FCP. */
async function firstPaintMs({frames}: FilmedLoad): Promise<string> {
  for (const {atMs, picture} of frames) {
    const {channels} = await sharp(picture).stats();
    if (atMs > 0 && channels.some(({stdev}) => stdev > 1)) return atMs.toFixed(0);
  }
  return 'none';
}

async function differences(real: readonly Buffer[], computed: readonly Buffer[]): Promise<readonly string[]> {
  const shares = real.map(async (picture, i) => {
    const other = computed[i];
    const share = other === undefined ? Number.NaN : (await comparePictures(picture, other)).share;
    return `at ${(TIMES_MS[i] ?? Number.NaN) / 1000} s, ${(100 * share).toFixed(1)} % of the screen differs`;
  });
  return Promise.all(shares);
}

/** A line for each object: when it had arrived in the real load and in the computed load, sorted by the former time. */
function arrivals(page: PageSnapshot, {objects}: BrowserLoad, data: TraceData): readonly string[] {
  const numbers = numbersByPath(page);
  return [...objects]
    .sort((a, b) => a.endMs - b.endMs)
    .map(({path, endMs}) => {
      const atNs = data.objects[numbers.get(path) ?? -1]?.completeNs ?? null;
      return `${path}: real ${Math.round(endMs)} ms, computed ${atNs === null ? 'never' : `${Math.round(atNs / 1e6)} ms`}`;
    });
}
