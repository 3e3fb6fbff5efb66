import {spawnSync} from 'node:child_process';
import {chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {afterEach, beforeEach, expect, test} from 'vitest';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'interleave-audit-'));
});
afterEach(() => rmSync(folder, {recursive: true}));

/**
 * Runs the audit with an npm that prints `report`, and a cargo whose deny fails if its arguments contain one of
 * `failing`.
 */
function audit(npm: {report: unknown; code: number}, cargo: {hasDeny: boolean; failing?: readonly string[]}) {
  write('npm', `process.stdout.write(${JSON.stringify(JSON.stringify(npm.report))}); process.exitCode = ${npm.code};`);
  const list = cargo.hasDeny ? '    deny\n' : '    build\n';
  write(
    'cargo',
    `const args = process.argv.slice(2);
    require('node:fs').appendFileSync(${JSON.stringify(join(folder, 'asked'))}, args.join(' ') + '\\n');
    if (args[0] === '--list') process.stdout.write(${JSON.stringify(list)});
    else process.exitCode = ${JSON.stringify(cargo.failing ?? [])}.some(each => args.includes(each)) ? 1 : 0;`,
  );
  const {status, stdout} = spawnSync(process.execPath, [join(import.meta.dirname, 'audit.mjs')], {
    env: {PATH: `${folder}:${dirname(process.execPath)}`},
    encoding: 'utf8',
  });
  return {status, lines: stdout.trimEnd().split('\n')};
}

function write(name: string, script: string): void {
  writeFileSync(join(folder, name), `#!${process.execPath}\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
}

const CLEAN = {report: {auditReportVersion: 2, vulnerabilities: {}}, code: 0};

test('all parts run, and find nothing', () => {
  const {status, lines} = audit(CLEAN, {hasDeny: true});
  expect({status, last: lines.at(-1)}).toEqual({status: 0, last: 'audit: all good'});
  const asked = readFileSync(join(folder, 'asked'), 'utf8');
  expect(asked).toContain('deny --manifest-path native/Cargo.toml --offline check bans licenses sources\n');
  expect(asked).toContain('deny --manifest-path native/Cargo.toml check --disable-fetch advisories\n');
});

test('without a network and without cargo-deny, parts are skipped with a reason, and the audit does not fail', () => {
  const {status, lines} = audit({report: {message: 'no network'}, code: 1}, {hasDeny: false});
  expect(status).toBe(0);
  expect(lines).toEqual([
    'audit: npm audit (skipped: no network)',
    expect.stringMatching(/^audit: crates: licences, sources \(skipped: .*cargo install --locked cargo-deny/),
    expect.stringMatching(/^audit: crates: advisories \(skipped: /),
    'audit: nothing found; 0 of 3 parts ran',
  ]);
});

test('advisories that cannot be fetched are skipped, but licences are still checked', () => {
  const {status, lines} = audit(CLEAN, {hasDeny: true, failing: ['fetch', 'advisories']});
  expect(status).toBe(0);
  expect(lines).toContain('audit: crates: advisories (skipped: the database of advisories cannot be fetched)');
  expect(lines.at(-1)).toBe('audit: nothing found; 2 of 3 parts ran');
});

test.each([
  ['a vulnerability of an npm package', 'high', 1, [], 'npm audit'],
  ['a licence that is not allowed', 'low', 0, ['licenses'], 'crates: licences, sources'],
  ['an advisory of a crate', 'low', 0, ['advisories'], 'crates: advisories'],
])('%s makes the audit fail', (_, severity, code, failing, part) => {
  const vulnerabilities = {left: {severity, range: '<2'}};
  const {status, lines} = audit({report: {vulnerabilities}, code}, {hasDeny: true, failing});
  expect({status, last: lines.at(-1)}).toEqual({status: 1, last: `audit: failed: ${part}`});
  expect(lines).toContain(`audit: npm: left <2: ${severity}`);
});
