import type {Host} from '../../../app/host/contract.ts';
import type {Scenario} from '../../../app/run/scenario/scenario.ts';
import {Loads, type ShownRun} from '../../session/loads.ts';

/**
 * Computes the runs of a story's steps, one after the other. The planned duration and the picture of a step depend on
 * its run. Steps with live loads are left out.
 */
export class StepRuns {
  readonly #loads: Loads;
  readonly #runs = new WeakMap<Scenario, ShownRun>();
  readonly #failed = new WeakSet<Scenario>();
  readonly #onKnown: () => void;
  #current: Scenario | null = null;

  /** `onKnown` is called when a run was computed or could not be computed. */
  constructor(host: Host, onKnown: () => void) {
    this.#onKnown = onKnown;
    this.#loads = new Loads(host, (result, isLast) => {
      if (!isLast) return;
      const asked = this.#current;
      this.#current = null;
      if (result.ok) this.#runs.set(result.run.scenario, result.run);
      else if (asked !== null) this.#failed.add(asked);
      this.#onKnown();
    });
  }

  runOf(scenario: Scenario): ShownRun | undefined {
    return this.#runs.get(scenario);
  }

  /** Begins to compute the first of these runs that was not tried yet. Does nothing while another run is computed. */
  want(scenarios: readonly Scenario[]): void {
    if (this.#current !== null) return;
    const next = scenarios.find(each => this.#isMissing(each));
    if (next === undefined) return;
    this.#current = next;
    this.#loads.request(next);
  }

  #isMissing(scenario: Scenario): boolean {
    return scenario.path.live === undefined && !this.#runs.has(scenario) && !this.#failed.has(scenario);
  }
}
