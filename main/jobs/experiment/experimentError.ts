/** Thrown if an experiment cannot be run, continued or merged. The message is one line for the user. */
export class ExperimentError extends Error {
  override readonly name = 'ExperimentError';
}
