import type {readCapture as ReadCapture, Simulation as SimulationClass} from '../../../../native/addon/index.js';

/** Replaces native/addon in the web edition. {@link setNative} must be called before a run is computed. */
export let Simulation: typeof SimulationClass;
export let readCapture: typeof ReadCapture;

export function setNative(native: {
  readonly Simulation: typeof SimulationClass;
  readonly readCapture: typeof ReadCapture;
}): void {
  ({Simulation, readCapture} = native);
}
