import type {Simulation as SimulationClass} from '../../../../native/addon/index.js';

/** Replaces native/addon in the web edition. {@link setNative} must be called before a run is computed. */
export let Simulation: typeof SimulationClass;

export function setNative(native: {readonly Simulation: typeof SimulationClass}): void {
  ({Simulation} = native);
}
