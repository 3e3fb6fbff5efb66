import type {PageSnapshot} from '../../../../app/page/page.ts';
import type {Eye, Thresholds} from '../../../../app/run/quality/states.ts';
import type {Scenario} from '../../../../app/run/scenario/scenario.ts';
import {runSeeds, type WorkerAnswer} from '../../../workers/runSeeds.ts';
import {SEED_WORKER} from '../../bundled.ts';
import type {CommandContext} from '../../command.ts';
import {withProgress} from '../../progress.ts';
import {eyeOf} from '../eye.ts';

/** A load that is computed for many seeds. */
export interface ComputedLoad {
  readonly scenario: Scenario;
  readonly page: PageSnapshot;
  /** What the visual metrics need. If undefined, visual metrics are not computed. */
  readonly eye: Eye | undefined;
  /** Whether the causes of the page's time are computed; by default they are not. */
  readonly hasCauses?: boolean;
}

/**
 * Returns the load with what its visual metrics need.
 * @throws MovieError; the signal's reason if it is aborted before this returns
 */
export async function withEye(
  {scenario, page}: Omit<ComputedLoad, 'eye'>,
  visual: Thresholds | undefined,
  context: CommandContext,
  signal: AbortSignal,
): Promise<ComputedLoad> {
  const eye = visual === undefined ? undefined : await eyeOf(page, scenario, visual, context, signal);
  signal.throwIfAborted();
  return {scenario, page, eye};
}

/**
 * Computes the load once for each seed, and shows the progress on standard error. If the work takes long, several cores
 * share it.
 */
export function loadSeeds(
  {scenario, page, eye, hasCauses = false}: ComputedLoad,
  seeds: readonly number[],
): Promise<readonly WorkerAnswer[]> {
  const seen = eye === undefined ? {} : {eye};
  return withProgress('runs', show => {
    const onProgress = (done: number): void => show(done, seeds.length);
    return runSeeds({page, scenario, seeds, worker: SEED_WORKER, hasCauses, ...seen, onProgress});
  });
}
