// This file installs aioquic, a QUIC and HTTP/3 implementation in Python. The tests in native/interop/ test our
// implementation against it.
import {createHash} from 'node:crypto';
import {existsSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {root, run} from './command.mjs';
import {readIfThere} from './fingerprint.mjs';
import {once} from './lock.mjs';

/** Installs aioquic and its dependencies in the versions of requirements.txt, unless they are installed already. */
export async function installAioquic() {
  await once(isInstalled, async () => {
    console.log(`aioquic: ${COMMAND}`);
    rmSync(join(root, FOLDER), {recursive: true, force: true});
    for (const [program, ...args] of STEPS) {
      const {code} = await run(program, args, {capture: true});
      if (code === 0) continue;
      console.log(`aioquic: ${program} ended with exit code ${code}; ${UNTRIED}`);
      return;
    }
    writeFileSync(join(root, STAMP), wanted());
  });
}

/** Returns the path of aioquic's Python, or undefined if aioquic is not installed. */
export function findAioquic() {
  return isInstalled() ? join(root, PYTHON) : undefined;
}

const FOLDER = '.cache/aioquic';
const PYTHON = `${FOLDER}/bin/python`;
/** This file is written last, so that it exists only if the installation is complete. */
const STAMP = `${FOLDER}/requirements.sha256`;
const REQUIREMENTS = 'native/interop/requirements.txt';

/** @type {[string, ...string[]][]} */
const STEPS = [
  ['python3', '-m', 'venv', FOLDER],
  [PYTHON, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--requirement', REQUIREMENTS],
];
/** The command with which a user can install aioquic. */
const COMMAND = STEPS.map(step => step.join(' ')).join(' && ');
const UNTRIED = 'HTTP/3 is not tested against aioquic';

function isInstalled() {
  return readIfThere(join(root, STAMP)) === wanted() && existsSync(join(root, PYTHON));
}

function wanted() {
  return createHash('sha256')
    .update(readFileSync(join(root, REQUIREMENTS)))
    .digest('hex');
}
