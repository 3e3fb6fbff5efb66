import {missingLoss} from '../../../app/run/cause/losses.ts';
import type {Look} from '../../../app/telling/movie/options.ts';
import {MovieError} from '../studio/studio.ts';

/**
 * `losses` are the numbers of lost packets in each pane. @throws MovieError if the loss to explain is not among them
 */
export function checkLoss({loss}: Look, losses: readonly number[]): void {
  const problem = loss === null ? null : missingLoss(loss, losses);
  if (problem !== null) throw new MovieError(problem);
}
