// This file runs cargo with our patches, for other scripts in this folder and for users:
// `npm run cargo -- test --release --test swarm`.
//
// The patched crates are path overrides (`paths`, The Cargo Book, "Overriding dependencies") on the command line.
// Cargo.toml and Cargo.lock do not mention them, so the lockfile never changes. A plain cargo command works in a fresh
// clone, but it uses the original crates, so its results may differ. `[patch]` would remove the crates' sources and
// checksums from the lockfile. Original and patched builds can both be in native/target.
import {spawnSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {inOneLine, root, run} from './command.mjs';
import {patchCrates} from './crates.mjs';
import {isOlder} from './node.mjs';

/**
 * Runs cargo on the Rust workspace.
 *
 * @param {[string, ...string[]]} args the first is cargo's command
 * @param {Parameters<typeof run>[2] & {manifest?: string}} [options] `manifest` is the manifest of another crate, as a
 * path from the root
 */
export async function runCargo([command, ...args], {manifest = 'native/Cargo.toml', ...options} = {}) {
  findRust();
  // the option is placed after the command, because `cargo clippy` ignores options before it; `cargo fmt` does not get
  // the option, because it would format the patched crates
  const config = command === 'fmt' ? [] : [`--config=paths=${JSON.stringify(await patchedCrates())}`];
  // with this variable netsim uses what the patches add, and the addon reports that it contains the patched crates
  const env = {...options.env, INTERLEAVE_PATCHED: '1'};
  return run('cargo', [command, ...config, '--manifest-path', manifest, ...args], {...options, env});
}

/** @throws {Error} one line that says what to install, if cargo is missing or Rust is too old */
function findRust() {
  const manifest = readFileSync(join(root, 'native/Cargo.toml'), 'utf8');
  const [, needed = ''] = /^rust-version = "(.+)"$/m.exec(manifest) ?? [];
  const install = `install Rust ${needed} or later (https://rustup.rs)`;
  if (versionOf('cargo') === undefined) throw new Error(`cargo is missing: ${install}`);
  const version = versionOf(process.env.RUSTC || 'rustc');
  if (version === undefined) throw new Error(`rustc is missing: ${install}`);
  if (isOlder(version, needed)) throw new Error(`Rust ${version} is too old: ${install}`);
}

/** @param {string} program */
function versionOf(program) {
  const {stdout} = spawnSync(program, ['--version'], {cwd: root, encoding: 'utf8'});
  return /^\S+ ([\d.]+)/.exec(stdout ?? '')?.[1];
}

/** Returns the folders of the patched crates. */
export function patchedCrates() {
  return patchCrates(join(root, 'native'), () =>
    run('cargo', ['fetch', '--quiet', '--locked', '--manifest-path', 'native/Cargo.toml']),
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await inOneLine(async () => {
    const [command = 'help', ...args] = process.argv.slice(2);
    process.exitCode = (await runCargo([command, ...args])).code;
  });
}
