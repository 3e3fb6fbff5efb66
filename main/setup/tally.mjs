/**
 * What a test runner reported.
 *
 * @typedef {{passed: number, failed: number, skipped: number, notes: string[]}} Tally `notes` name the skipped tests,
 *   with the reason if the test states it. Tests that cargo ignores are not named. The notes also name failures of
 *   something other than a test, and the tests and files that passed only when they were run again.
 */

/**
 * Counts the tests of `cargo test -- --show-output`. A test that cannot run here prints `skipped: <why>` and passes; it
 * is counted as skipped. A test binary that started and printed no result counts as one failure, and so does a non-zero
 * exit code without a failed test, for example after a compile error.
 *
 * @param {string} output
 * @param {number} code
 * @returns {Tally}
 */
export function tallyCargo(output, code) {
  const results = [...output.matchAll(/^test result: .*? (\d+) passed; (\d+) failed; (\d+) ignored/gm)];
  const sum = (/** @type {number} */ column) => results.reduce((total, result) => total + Number(result[column]), 0);
  const notes = [...output.matchAll(/^skipped: .*/gm)].map(([line]) => line);
  const started = [...output.matchAll(/^running \d+ tests?$/gm)].length;
  const tally = {passed: sum(1) - notes.length, failed: sum(2), skipped: sum(3) + notes.length, notes};
  const crashed = started - results.length;
  if (crashed > 0) {
    tally.failed += crashed;
    notes.push(`failed: ${crashed} test ${crashed === 1 ? 'binary' : 'binaries'} ended without a result`);
  }
  return withExitCode('cargo test', tally, code);
}

/**
 * Returns the test files in vitest's JSON report that failed.
 *
 * @param {string | undefined} report
 * @returns {string[]} their absolute paths
 */
export function failedFiles(report) {
  /** @type {{name: string, status: string}[]} */
  const files = report ? JSON.parse(report).testResults : [];
  return files.filter(({status}) => status === 'failed').map(({name}) => name);
}

/**
 * @typedef {{fullName: string, status: string, failureMessages?: string[]}} ReportedTest
 * @typedef {{name: string, status: string, assertionResults: ReportedTest[]}} ReportedFile
 * @typedef {{report: string | undefined, code: number, unhandled: number}} VitestRun the JSON report and the exit code
 *   of a run, and the number of errors that belong to no test
 */

/**
 * Joins a run of vitest and a second run of the files that failed in it. Files count as in the second run. A test that
 * failed in the first run keeps the messages of this failure, so that {@link tallyVitest} names it if it has passed in
 * the second run. A test that failed in the first run and did not run in the second one has failed.
 *
 * @param {VitestRun & {report: string}} first
 * @param {VitestRun} second
 * @returns {{report: string, code: number}}
 */
export function joinedRuns(first, second) {
  /** @type {ReportedFile[]} */
  const again = second.report ? JSON.parse(second.report).testResults : [];
  const byName = new Map(again.map(file => [file.name, file]));
  const {testResults, ...rest} = JSON.parse(first.report);
  const joined = testResults.map((/** @type {ReportedFile} */ file) => {
    const later = byName.get(file.name);
    return later === undefined ? file : joinedFile(file, later);
  });
  const report = JSON.stringify({...rest, testResults: joined});
  // only the exit code tells of errors that belong to no test
  const isMended = first.unhandled === 0 && failedFiles(report).length === 0;
  return {report, code: isMended ? second.code : first.code};
}

/**
 * @param {ReportedFile} file
 * @param {ReportedFile} later
 */
function joinedFile(file, later) {
  const failed = file.assertionResults.filter(({status}) => status === 'failed');
  const before = new Map(failed.map(test => [test.fullName, test]));
  const ran = new Set(later.assertionResults.filter(({status}) => RAN.has(status)).map(({fullName}) => fullName));
  const lost = failed.filter(({fullName}) => !ran.has(fullName));
  const results = later.assertionResults
    .filter(test => !lost.some(({fullName}) => fullName === test.fullName))
    .map(test => ({
      ...test,
      failureMessages: before.get(test.fullName)?.failureMessages ?? test.failureMessages ?? [],
    }));
  return {
    ...later,
    status: lost.length > 0 ? 'failed' : later.status,
    assertionResults: [...results, ...lost],
    // a hook failed, or the file could not be loaded
    failedAsWhole: file.status === 'failed' && failed.length === 0,
  };
}

const RAN = new Set(['passed', 'failed']);

/**
 * Counts the tests in vitest's JSON report. Without a report the run is one failure. A test file that could not be
 * loaded is one failure. A run has either the tests with the tag `long`, or all other tests. The tests that a run
 * leaves out for this reason do not count as skipped.
 *
 * @param {string | undefined} report
 * @param {number} code
 * @param {{isLong?: boolean}} [run] whether the run had the tests with the tag `long`
 * @returns {Tally}
 */
export function tallyVitest(report, code, {isLong = false} = {}) {
  /** @type {Tally} */
  const tally = {passed: 0, failed: 0, skipped: 0, notes: []};
  for (const file of report ? JSON.parse(report).testResults : []) {
    for (const {status, fullName, tags = [], failureMessages = []} of file.assertionResults) {
      const isRetried = status === 'passed' && failureMessages.length > 0;
      if (isRetried) tally.notes.push(`passed at the second attempt: ${fullName}`);
      if (status === 'passed') tally.passed += 1;
      else if (status === 'failed') tally.failed += 1;
      else if (tags.includes('long') === isLong) {
        tally.skipped += 1;
        tally.notes.push(`skipped: ${fullName}`);
      }
    }
    /** @type {ReportedFile['assertionResults']} */
    const results = file.assertionResults;
    if (file.status === 'failed' && !results.some(({status}) => status === 'failed')) {
      tally.failed += 1;
      tally.notes.push(`failed: ${file.name}`);
    } else if (file.failedAsWhole) tally.notes.push(`passed at the second attempt: ${file.name}`);
  }
  if (report === undefined && code === 0) return {...tally, failed: 1, notes: ['failed: vitest wrote no report']};
  return withExitCode('vitest', tally, code);
}

/**
 * Returns the eight files in vitest's JSON report that took longest, in seconds. Several files run at the same time.
 *
 * @param {string | undefined} report
 * @param {string} root what the names begin with
 * @returns {string[]} one line a file, the longest first
 */
export function longest(report, root) {
  /** @type {{name: string, startTime: number, endTime: number}[]} */
  const files = report ? JSON.parse(report).testResults : [];
  return files
    .map(({name, startTime, endTime}) => ({
      name: name.replace(`${root}/`, ''),
      s: (endTime - startTime) / 1000,
    }))
    .sort((a, b) => b.s - a.s)
    .slice(0, 8)
    .map(({name, s}) => `${s.toFixed(0).padStart(5)} s  ${name}`);
}

/**
 * The last line of a run of all tests.
 *
 * @param {Tally[]} tallies
 */
export function summary(tallies) {
  const sum = (/** @type {'passed' | 'failed' | 'skipped'} */ key) =>
    tallies.reduce((total, tally) => total + tally[key], 0);
  const skipped = sum('skipped');
  return `${sum('passed')} passed, ${sum('failed')} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/**
 * @param {string} runner
 * @param {Tally} tally
 * @param {number} code
 * @returns {Tally}
 */
function withExitCode(runner, tally, code) {
  if (code === 0 || tally.failed > 0) return tally;
  return {...tally, failed: 1, notes: [...tally.notes, `failed: ${runner} ended with exit code ${code}`]};
}
