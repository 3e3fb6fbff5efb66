import {existsSync} from 'node:fs';
import {delimiter, join} from 'node:path';

/** An installed Chromium or Chrome; undefined if there is none. `INTERLEAVE_BROWSER` names another. */
export function findBrowser() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const found = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'].flatMap(name =>
    folders.map(folder => join(folder, name)),
  );
  return [process.env.INTERLEAVE_BROWSER, ...found, ...MAC].find(
    path => path !== undefined && existsSync(path),
  );
}

const MAC = ['Google Chrome', 'Chromium'].map(name => `/Applications/${name}.app/Contents/MacOS/${name}`);

/**
 * Starts a Chromium with its sandbox, which holds what decodes strangers' pictures; without only where it has none: as
 * root, and on a system that gives it none.
 *
 * @template T
 * @param {(hasSandbox: boolean) => Promise<T>} launch starts it; where that fails, the error's message has what Chromium
 *   said
 * @param {(line: string) => void} tell told why it runs without, in a line for people
 * @returns {Promise<T>}
 */
export async function launchSandboxed(launch, tell) {
  const whyNone = whyNoSandbox();
  if (whyNone === undefined) {
    try {
      return await launch(true);
    } catch (error) {
      if (!(error instanceof Error && saysNoSandbox(error.message))) throw error;
    }
  }
  tell(whyNone ?? `${WITHOUT}: ${NOT_GIVEN}`);
  return launch(false);
}

/** Why this user's Chromium, or Electron, has no sandbox: a line for people; undefined if it is to be tried. */
export function whyNoSandbox() {
  return process.getuid?.() === 0 ? `${WITHOUT}: root has none; run this as another user` : undefined;
}

/**
 * Whether Chromium wrote that it ends because it has no sandbox: zygote_host_impl_linux.cc, setuid_sandbox_host.cc,
 * credentials.cc; or what Playwright has in place of that.
 *
 * @param {string} text
 */
export function saysNoSandbox(text) {
  return /No usable sandbox|SUID sandbox helper|Failed to move to new namespace|Chromium sandboxing failed/.test(
    text,
  );
}

const WITHOUT = 'Chromium runs without its sandbox';
const NOT_GIVEN =
  'this system gives it neither user namespaces nor a setuid helper (Debian has that in chromium-sandbox)';

/** @type {Set<string>} */
const told = new Set();

/** On standard error, once in this process. */
export function tellOnce(/** @type {string} */ line) {
  if (told.has(line)) return;
  told.add(line);
  process.stderr.write(`interleave: ${line}\n`);
}
