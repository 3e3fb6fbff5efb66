// cargo with our patches, for every script here. By hand: `npm run cargo -- test --release --test swarm`.
//
// The patched crates are path overrides (`paths`, The Cargo Book, "Overriding dependencies") on the command line:
// Cargo.toml and Cargo.lock know nothing of them. So a plain cargo command works in a fresh clone, with the stock
// crates, and either way the lockfile stays as it is; `[patch]` would take the crates' sources and checksums out of
// it. Stock and patched builds stand beside each other in native/target.
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {root, run} from './command.mjs';
import {patchCrates} from './crates.mjs';

/**
 * Runs cargo on the Rust workspace.
 *
 * @param {[string, ...string[]]} args the first is cargo's command
 * @param {Parameters<typeof run>[2]} [options]
 */
export async function runCargo([command, ...args], options) {
  await findCargo();
  // after the command: `cargo clippy` does not hear what stands before it. cargo fmt would format the crates.
  const config = command === 'fmt' ? [] : [`--config=paths=${JSON.stringify(await patched())}`];
  return run('cargo', [command, ...config, '--manifest-path', 'native/Cargo.toml', ...args], options);
}

async function findCargo() {
  if ((await run('cargo', ['--version'], {capture: true})).code !== 0) {
    throw new Error('cargo is missing: install Rust 1.95 or later (https://rustup.rs)');
  }
}

function patched() {
  return patchCrates(join(root, 'native'), () =>
    run('cargo', ['fetch', '--quiet', '--locked', '--manifest-path', 'native/Cargo.toml']),
  );
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    const [command = 'help', ...args] = process.argv.slice(2);
    process.exitCode = (await runCargo([command, ...args])).code;
  } catch (error) {
    console.error(`cargo: ${error.message}`);
    process.exitCode = 1;
  }
}
