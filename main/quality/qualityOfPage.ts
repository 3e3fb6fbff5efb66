import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import type {PageSnapshot} from '../../app/page/page.ts';
import type {MeasurerAnswer} from '../../app/quality/measurer.ts';
import type {PageQuality} from '../../app/quality/pageQuality.ts';
import {type Json, scenarioDocument} from '../../app/scenario/document.ts';
import type {Scenario} from '../../app/scenario/scenario.ts';
import {installedBrowser, openChromiumStudio} from '../movie/chromiumStudio.ts';
import {inStudio, MovieError, PageObject, type Studio} from '../movie/studio.ts';
import {openWebShell} from '../shells/web.ts';
import {browserVersion} from './browserVersion.ts';
import {cacheKey, keepQuality, knownQuality} from './qualityCache.ts';

export interface QualityOptions {
  /** The repository. */
  readonly root: string;
  /** Builds the renderer, whose page measures, where it is out of date. */
  readonly buildRenderer: () => Promise<void>;
  /** Ends it, with no browser left. */
  readonly signal: AbortSignal;
  /** Told how many objects of how many are measured. */
  readonly onProgress?: (done: number, all: number) => void;
}

/**
 * What prefixes of a page's objects look like, as the installed Chromium decodes them. `page` is the snapshot that
 * `scenario` names. What was measured once with this browser is read from the disk: no browser starts then.
 * @throws MovieError where there is no Chromium, or it cannot measure.
 */
export async function qualityOfPage(
  page: PageSnapshot,
  scenario: Scenario,
  options: QualityOptions,
): Promise<PageQuality> {
  const {root, buildRenderer, signal, onProgress} = options;
  const key = cacheKey(page.hash, await browserVersion(installedBrowser()));
  const known = await knownQuality(key, page.objects.length);
  if (known !== undefined) return known;
  await buildRenderer();
  const {version} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {version: string};
  const shell = await openWebShell({root, version, opened: null});
  try {
    const quality = await inStudio(
      () => openChromiumStudio(shell.newAddress()),
      signal,
      studio => measure(studio, scenarioDocument(scenario)['page'] ?? null, page.hash, onProgress),
    );
    await keepQuality(key, quality, signal);
    return quality;
  } finally {
    await shell.close();
  }
}

async function measure(
  studio: Studio,
  source: Json,
  hash: string,
  onProgress: QualityOptions['onProgress'],
): Promise<PageQuality> {
  const measurer = await PageObject.find(await studio.openPage('quality/measurer.html'), 'measurer');
  const answer = measurer.call('measure', [source, hash]) as Promise<MeasurerAnswer>;
  const asking = setInterval(async () => {
    // who ends the browser is told by the answer
    const progress = await measurer.call('progress', []).catch(() => undefined);
    const {done, all} = (progress ?? {done: 0, all: 0}) as {done: number; all: number};
    if (all > 0) onProgress?.(done, all);
  }, ASK_MS);
  try {
    const measured = await answer;
    if (!measured.ok) throw new MovieError(measured.message);
    return measured.quality;
  } finally {
    clearInterval(asking);
  }
}

const ASK_MS = 200;
