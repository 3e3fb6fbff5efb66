// npm run check: checks format, lint and types of TypeScript and Rust, and which folder imports which. All checks run,
// even if one fails.
import './node.mjs';
import {runCargo} from './cargo.mjs';
import {inOneLine, runTool} from './command.mjs';
import {forbiddenImports} from './floors.mjs';
import {installPackages} from './packages.mjs';
import {copyWasmLock} from './wasm.mjs';

// crates outside of the workspace in native/
const QUIC_PEER = {manifest: 'native/interop/quic_peer/Cargo.toml'};
const FUZZ = {manifest: 'native/fuzz/Cargo.toml'};
/** The crate of the WebAssembly module. Its code is the same on all targets, so clippy needs no WebAssembly target. */
const WASM = {manifest: 'native/wasm/Cargo.toml'};
/**
 * The arguments of each run of clippy. All crates share one target folder and one profile, so that every dependency is
 * compiled only once. With other settings, cargo would compile it again. Only macros and build scripts are run, so
 * nothing is optimized.
 * @type {[string, ...string[]]}
 */
const CLIPPY = [
  'clippy',
  '--quiet',
  '--target-dir=native/target/check',
  ...['opt-level=0', 'package."*".opt-level=0', 'debug=false', 'incremental=false'].map(
    setting => `--config=profile.dev.${setting}`,
  ),
];
const DENY = ['--', '-D', 'warnings'];

/** @type {[string, () => Promise<{code: number}>][]} */
const checks = [
  ['format and lint', () => runTool('biome', ['check', '--error-on-warnings'], '@biomejs/biome')],
  ['folders', async () => ({code: forbiddenImports('.').map(line => console.log(line)).length})],
  ['types', () => runTool('tsc', ['--project', '.'], 'typescript')],
  ['types of scripts', () => runTool('tsc', ['--project', 'main/setup'], 'typescript')],
  ['types of fixtures', () => runTool('tsc', ['--project', 'fixtures'], 'typescript')],
  ['types of app', () => runTool('tsc', ['--project', 'app'], 'typescript')],
  ['types of e2e', () => runTool('tsc', ['--project', 'e2e'], 'typescript')],
  ['types of the web edition', () => runTool('tsc', ['--project', 'main/shells/site'], 'typescript')],
  ['types of renderer', () => runTool('tsc', ['--project', 'renderer'], 'typescript')],
  ['rust format', () => runCargo(['fmt', '--quiet', '--all', '--check'])],
  ['clippy', () => runCargo([...CLIPPY, '--workspace', '--all-targets', ...DENY])],
  ['rust format of quic_peer', () => runCargo(['fmt', '--quiet', '--check'], QUIC_PEER)],
  ['rust format of wasm', () => runCargo(['fmt', '--quiet', '--check'], WASM)],
  ['clippy of wasm', clippyOfWasm],
  ['clippy of quic_peer', () => runCargo([...CLIPPY, ...DENY], QUIC_PEER)],
  ['rust format of fuzz', () => runCargo(['fmt', '--quiet', '--check'], FUZZ)],
  // libFuzzer is left out, because it needs a C++ compiler
  ['clippy of fuzz', () => runCargo([...CLIPPY, '--no-default-features', ...DENY], FUZZ)],
];

function clippyOfWasm() {
  copyWasmLock();
  return runCargo([...CLIPPY, ...DENY], WASM);
}

await inOneLine(async () => {
  await installPackages();
  const failed = [];
  for (const [name, check] of checks) {
    console.log(`check: ${name}`);
    if ((await check()).code !== 0) failed.push(name);
  }
  console.log(failed.length === 0 ? 'check: all good' : `check: failed: ${failed.join(', ')}`);
  process.exitCode = failed.length === 0 ? 0 : 1;
});
