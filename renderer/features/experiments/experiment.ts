import {createStore, type StoreApi} from 'zustand/vanilla';
import type {Host} from '../../../app/host/contract.ts';
import type {FeatureState} from '../../session/extension.ts';
import {GridRuns} from '../../session/grid/gridRuns.ts';
import {type ExperimentChoice, FIRST_CHOICE} from './choice.ts';

/** One window's experiment: its choices and its runs. Both are kept when the panel closes. */
export class Experiment {
  readonly choice: StoreApi<ExperimentChoice> = createStore(() => FIRST_CHOICE);
  readonly runs: GridRuns;

  constructor(host: Host) {
    this.runs = new GridRuns(host);
  }
}

export const EXPERIMENT: FeatureState<Experiment> = {create: ({host}) => new Experiment(host)};
