import type {PageSnapshot} from '../../../app/page/page.ts';
import type {Scenario} from '../../../app/run/scenario/scenario.ts';
import type {Run} from '../../../app/run/trace/runFile.ts';
import {LiveLoad, type LiveLoadOptions} from './liveLoad.ts';

/** A {@link LiveLoad} of which nobody sees how it goes. @throws LiveError; the signal's reason when that ends it */
export function loadLive(
  page: PageSnapshot,
  scenario: Scenario,
  signal: AbortSignal,
  options: Omit<LiveLoadOptions, 'signal'> = {},
): Promise<Run> {
  return new LiveLoad(page, scenario, {...options, signal}).run();
}
