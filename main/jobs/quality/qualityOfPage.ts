import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import type {PageSnapshot} from '../../../app/page/page.ts';
import type {PageQuality} from '../../../app/run/quality/pageQuality.ts';
import {scenarioDocument} from '../../../app/run/scenario/document.ts';
import type {Scenario} from '../../../app/run/scenario/scenario.ts';
import {StagePage} from '../../media/movie/stagePage.ts';
import {cacheKey, knownQuality} from '../../media/quality/qualityCache.ts';
import {browserVersion} from '../../media/studio/browserVersion.ts';
import {installedBrowser, openChromiumStudio} from '../../media/studio/chromiumStudio.ts';
import {inStudio, MovieError, type Studio} from '../../media/studio/studio.ts';
import {openWebShell} from '../../shells/webShell.ts';

export interface QualityOptions {
  /** The path of the repository. */
  readonly root: string;
  /** Builds the renderer if it is out of date. One of the renderer's pages measures the quality. */
  readonly buildRenderer: () => Promise<void>;
  /** If this is aborted, the work ends and the browser is closed. */
  readonly signal: AbortSignal;
  /** Called with the number of measured objects and the number of all objects. */
  readonly onProgress?: (done: number, all: number) => void;
}

/**
 * Measures how each object of a page looks when only its first bytes have arrived. The installed Chromium decodes the
 * objects. `page` is the snapshot of the page that `scenario` names. If the page was measured before with this browser,
 * the result is read from the cache and no browser is started.
 * @throws MovieError if there is no Chromium, if it cannot measure, or if the page has changed since `page` was taken
 */
export async function qualityOfPage(
  page: PageSnapshot,
  scenario: Scenario,
  options: QualityOptions,
): Promise<PageQuality> {
  const {root, buildRenderer, signal, onProgress} = options;
  const known = await knownQuality(cacheKey(page.hash, await browserVersion(installedBrowser())));
  if (known !== undefined) return known;
  await buildRenderer();
  const {version} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {version: string};
  const shell = await openWebShell({root, version, opened: null});
  try {
    const quality = await inStudio(
      () => openChromiumStudio(shell),
      signal,
      studio => measure(studio, page.hash, scenario, onProgress),
    );
    signal.throwIfAborted();
    return quality;
  } finally {
    await shell.close();
  }
}

async function measure(
  studio: Studio,
  hash: string,
  scenario: Scenario,
  onProgress: QualityOptions['onProgress'],
): Promise<PageQuality> {
  const stage = await StagePage.open(studio);
  const opened = await stage.openPage(scenarioDocument(scenario));
  if (opened !== hash) throw new MovieError('the page changed while it was read: try again');
  return (await stage.measure(hash, onProgress)).quality;
}
