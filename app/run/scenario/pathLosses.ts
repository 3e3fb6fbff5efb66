import {type Loss, neverLoses} from './lossModel.ts';
import type {Scenario} from './scenario.ts';

/**
 * Returns the losses of the path and of its changes, in both directions. Losses that never lose a packet are left out.
 */
export function pathLosses({path, changes}: Pick<Scenario, 'path' | 'changes'>): readonly Loss[] {
  return [path.loss, ...changes.map(change => change.path.loss)]
    .flatMap(({down, up}) => [down, up])
    .filter(loss => loss !== undefined)
    .filter(loss => !neverLoses(loss));
}
