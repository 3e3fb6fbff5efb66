import {writeFileSync} from 'node:fs';

/**
 * A reporter of vitest that writes the number of errors which belong to no test into the file that
 * `INTERLEAVE_UNHANDLED_ERRORS` names. Vitest's JSON report does not contain them: for example, a promise that was
 * rejected after its test, or a worker that crashed.
 */
export default class UnhandledErrors {
  /**
   * @param {readonly unknown[]} _modules
   * @param {readonly unknown[]} unhandledErrors
   */
  onTestRunEnd(_modules, unhandledErrors) {
    const path = process.env['INTERLEAVE_UNHANDLED_ERRORS'];
    if (path !== undefined) writeFileSync(path, String(unhandledErrors.length));
  }
}
