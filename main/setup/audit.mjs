// npm run audit: checks the packages of package-lock.json and native/Cargo.lock for known vulnerabilities, and the
// licences and sources of the crates. `.ci/run`, which tests every change, runs it also on machines without a network.
// If the network or the tool for a part is missing, that part is skipped with a message.
import {inOneLine, run} from './command.mjs';

/** The result of a part. `skipped` says why it did not run. @typedef {{isGood: boolean, skipped?: string}} Outcome */

/** @type {[string, () => Promise<Outcome>][]} */
const parts = [
  ['npm audit', npmAudit],
  ['crates: licences, sources', () => deny(['--offline', 'check', 'bans', 'licenses', 'sources'])],
  ['crates: advisories', crateAdvisories],
];

await inOneLine(async () => {
  const failed = [];
  let ran = 0;
  for (const [name, audit] of parts) {
    const {isGood, skipped} = await audit();
    console.log(`audit: ${name}${skipped === undefined ? '' : ` (skipped: ${skipped})`}`);
    if (skipped === undefined) ran += 1;
    if (!isGood) failed.push(name);
  }
  const good = ran === parts.length ? 'all good' : `nothing found; ${ran} of ${parts.length} parts ran`;
  console.log(`audit: ${failed.length === 0 ? good : `failed: ${failed.join(', ')}`}`);
  process.exitCode = failed.length === 0 ? 0 : 1;
});

/** Fails at severity high or critical. Lower severities are only printed. @returns {Promise<Outcome>} */
async function npmAudit() {
  const env = {
    npm_config_loglevel: 'silent',
    npm_config_fetch_retries: '0',
    npm_config_fetch_timeout: '20000',
  };
  const {code, output} = await run('npm', ['audit', '--json', '--audit-level=high'], {capture: true, env});
  const report = reportOf(output);
  // if the registry cannot be reached, npm prints an error in place of a report
  if (report.vulnerabilities === undefined) return {isGood: true, skipped: report.message ?? 'npm gives no report'};
  for (const [name, {severity, range}] of Object.entries(report.vulnerabilities))
    console.log(`audit: npm: ${name} ${range}: ${severity}`);
  return {isGood: code === 0};
}

/**
 * @param {string} output
 * @returns {{vulnerabilities?: Record<string, {severity: string, range: string}>, message?: string}}
 */
function reportOf(output) {
  try {
    return JSON.parse(output);
  } catch {
    return {};
  }
}

/** Downloads the database of advisories, and checks the crates against it. @returns {Promise<Outcome>} */
async function crateAdvisories() {
  const fetched = await deny(['fetch', 'db']);
  if (fetched.skipped !== undefined) return fetched;
  if (!fetched.isGood) return {isGood: true, skipped: 'the database of advisories cannot be fetched'};
  return deny(['check', '--disable-fetch', 'advisories']);
}

/** @param {string[]} args @returns {Promise<Outcome>} */
async function deny(args) {
  const {output} = await run('cargo', ['--list'], {capture: true});
  if (!/^ +deny\b/m.test(output))
    return {isGood: true, skipped: 'there is no cargo-deny (cargo install --locked cargo-deny)'};
  return {isGood: (await run('cargo', ['deny', '--manifest-path', 'native/Cargo.toml', ...args])).code === 0};
}
