import {describe, expect, test} from 'vitest';
import {failedFiles, joinedRuns, longest, summary, tallyCargo, tallyVitest} from './tally.mjs';

const passing = `
running 3 tests
...
test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s
`;

function vitestReport(...files: {status: string; tests: string[]}[]): string {
  const testResults = files.map(({status, tests}, number) => ({
    name: `file${number}.test.ts`,
    status,
    assertionResults: tests.map(outcome => ({status: outcome, fullName: `claims ${outcome}`})),
  }));
  return JSON.stringify({testResults});
}

test('cargo: the results of all test binaries add up', () => {
  expect(tallyCargo(passing + passing, 0)).toEqual({passed: 6, failed: 0, skipped: 2, notes: []});
});

test('cargo: a test that says why it is skipped is not counted as passed', () => {
  const output = `skipped: needs /dev/net/tun\n${passing}`;
  expect(tallyCargo(output, 0)).toMatchObject({
    passed: 2,
    skipped: 2,
    notes: ['skipped: needs /dev/net/tun'],
  });
});

test('cargo: a failed test is counted once', () => {
  const output = 'running 2 tests\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured';
  expect(tallyCargo(output, 101)).toMatchObject({passed: 1, failed: 1});
});

test('cargo: a test binary that crashes is a failure', () => {
  const one = {passed: 3, failed: 1, notes: ['failed: 1 test binary ended without a result']};
  expect(tallyCargo(`running 5 tests\n${passing}`, 101)).toMatchObject(one);
  const two = {passed: 3, failed: 2, notes: ['failed: 2 test binaries ended without a result']};
  expect(tallyCargo(`running 5 tests\nrunning 1 test\n${passing}`, 101)).toMatchObject(two);
});

test('cargo: a compile error is a failure', () => {
  expect(tallyCargo('', 101)).toMatchObject({passed: 0, failed: 1});
});

test('vitest: outcomes add up and skipped tests are named', () => {
  const report = vitestReport({status: 'failed', tests: ['passed', 'failed', 'pending']});
  expect(tallyVitest(report, 1)).toEqual({
    passed: 1,
    failed: 1,
    skipped: 1,
    notes: ['skipped: claims pending'],
  });
});

test('vitest: tests that the run leaves out are not counted as skipped', () => {
  const left = {status: 'skipped', fullName: 'claims much'};
  const assertionResults = [
    {...left, tags: ['long']},
    {...left, tags: []},
  ];
  const report = JSON.stringify({testResults: [{name: 'file', status: 'passed', assertionResults}]});
  expect(tallyVitest(report, 0)).toMatchObject({skipped: 1});
  expect(tallyVitest(report, 0, {isLong: true})).toMatchObject({skipped: 1});
});

describe('vitest: files that failed and were run once more', () => {
  const file = (name: string, status: string, ...tests: readonly (readonly [string, string])[]) => ({
    name,
    status,
    assertionResults: tests.map(([fullName, outcome]) => ({
      fullName,
      status: outcome,
      failureMessages: outcome === 'failed' ? ['no'] : [],
    })),
  });
  const report = (...testResults: readonly object[]) => JSON.stringify({testResults});
  const first = report(
    file('a', 'passed', ['one', 'passed']),
    file('b', 'failed', ['two', 'failed'], ['three', 'passed'], ['four', 'failed']),
    file('c', 'failed'),
  );

  test('are those with the status failed', () => {
    expect(failedFiles(first)).toEqual(['b', 'c']);
    expect(failedFiles(undefined)).toEqual([]);
  });

  /** The joined run, and what its tally says. */
  const joined = (second: string | undefined, unhandled = 0) => {
    const run = joinedRuns({report: first, code: 1, unhandled}, {report: second, code: 0, unhandled: 0});
    return {code: run.code, tally: tallyVitest(run.report, run.code)};
  };

  test('count as in the second run, and what passed only then is named', () => {
    const second = report(
      file('b', 'failed', ['two', 'passed'], ['three', 'failed'], ['four', 'failed']),
      file('c', 'passed', ['five', 'passed']),
    );
    const notes = ['passed at the second attempt: two', 'passed at the second attempt: c'];
    expect(joined(second)).toEqual({code: 1, tally: {passed: 3, failed: 2, skipped: 0, notes}});
  });

  test('have failed if they did not run in the second run', () => {
    for (const second of [report(), undefined]) expect(joined(second)).toEqual({code: 1, tally: tallyVitest(first, 1)});
    const skipped = file('b', 'passed', ['two', 'skipped'], ['three', 'passed']);
    expect(joined(report(skipped, file('c', 'passed', ['five', 'passed'])))).toMatchObject({
      code: 1,
      tally: {passed: 3, failed: 2, skipped: 0},
    });
  });

  test('do not hide an error that belongs to no test', () => {
    const second = report(
      file('b', 'passed', ['two', 'passed'], ['three', 'passed'], ['four', 'passed']),
      file('c', 'passed', ['five', 'passed']),
    );
    expect(joined(second)).toMatchObject({code: 0, tally: {passed: 5, failed: 0}});
    expect(joined(second, 1)).toMatchObject({code: 1, tally: {passed: 5, failed: 1}});
  });
});

test('vitest: a file that does not load is a failure', () => {
  const report = vitestReport({status: 'passed', tests: ['passed']}, {status: 'failed', tests: []});
  expect(tallyVitest(report, 1)).toMatchObject({passed: 1, failed: 1});
});

test('vitest: an exit code other than 0 without a failed test is a failure', () => {
  expect(tallyVitest(vitestReport({status: 'passed', tests: ['passed']}), 1)).toMatchObject({failed: 1});
});

test('vitest: no report is a failure', () => {
  expect(tallyVitest(undefined, 1)).toMatchObject({passed: 0, failed: 1});
  expect(tallyVitest(undefined, 0)).toMatchObject({passed: 0, failed: 1, notes: ['failed: vitest wrote no report']});
});

test('the summary gives the number of skipped tests only if there are some', () => {
  expect(summary([tallyCargo(passing, 0)])).toBe('3 passed, 0 failed, 1 skipped');
  expect(summary([{passed: 1, failed: 2, skipped: 0, notes: []}])).toBe('1 passed, 2 failed');
});

test('the files that took longest come first, with their paths in the repository', () => {
  const file = (name: string, startTime: number, endTime: number) => ({name, startTime, endTime});
  const testResults = [file('/repo/app/a.test.ts', 1000, 2400), file('/repo/e2e/b.test.ts', 0, 63_000)];
  expect(longest(JSON.stringify({testResults}), '/repo')).toEqual(['   63 s  e2e/b.test.ts', '    1 s  app/a.test.ts']);
  expect(longest(undefined, '/repo')).toEqual([]);
});
