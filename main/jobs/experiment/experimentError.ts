/** An experiment cannot be run, gone on with or merged: one line for people. */
export class ExperimentError extends Error {
  override readonly name = 'ExperimentError';
}
