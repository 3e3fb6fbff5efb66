import {createStore, type StoreApi} from 'zustand/vanilla';
import type {Host} from '../../../app/host/contract.ts';
import {type ExperimentChoice, FIRST_CHOICE} from './choice.ts';
import {GridRuns} from './gridRuns.ts';

/** One window's experiment: what is chosen, and the runs, which stay when its panel closes. */
export class Experiment {
  readonly choice: StoreApi<ExperimentChoice> = createStore(() => FIRST_CHOICE);
  readonly runs: GridRuns;

  constructor(host: Host) {
    this.runs = new GridRuns(host);
  }
}
