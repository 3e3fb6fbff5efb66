import type {PageSnapshot} from '../../../app/page/page.ts';
import type {Eye, Thresholds} from '../../../app/run/quality/states.ts';
import type {Scenario} from '../../../app/run/scenario/scenario.ts';
import {qualityOfPage} from '../../jobs/quality/qualityOfPage.ts';
import type {CommandContext} from '../command.ts';
import {withProgress} from '../progress.ts';

/**
 * Returns how each object of the page looks, depending on how many of its bytes have arrived: how similar a picture is
 * to the complete picture, and how much of the text is visible. Visual metrics, such as those of `--visual`, need this.
 * Chromium measures it, unless the result of an earlier measurement is in the cache.
 * @throws MovieError if there is no Chromium, if it cannot measure, or if the page has changed since `page` was taken
 */
export function eyeOf(
  page: PageSnapshot,
  scenario: Scenario,
  thresholds: Thresholds,
  {root, buildRenderer}: Pick<CommandContext, 'root' | 'buildRenderer'>,
  signal: AbortSignal,
): Promise<Eye> {
  return withProgress('objects measured', async onProgress => {
    const quality = await qualityOfPage(page, scenario, {root, buildRenderer, signal, onProgress});
    return {thresholds, quality};
  });
}
