/** Thrown by the API if an argument is not valid. The message names the value and the limit. */
export class InputError extends Error {
  override readonly name = 'InputError';
}
