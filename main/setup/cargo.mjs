import {run} from './command.mjs';

/**
 * Runs cargo on the Rust workspace.
 *
 * @param {[string, ...string[]]} args the first is cargo's command
 * @param {Parameters<typeof run>[2]} [options]
 */
export async function runCargo([command, ...args], options) {
  if ((await run('cargo', ['--version'], {capture: true})).code !== 0) {
    throw new Error('cargo is missing: install Rust 1.95 or later (https://rustup.rs)');
  }
  return run('cargo', [command, '--quiet', '--manifest-path', 'native/Cargo.toml', ...args], options);
}
