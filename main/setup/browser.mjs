import {existsSync, mkdirSync, writeFileSync} from 'node:fs';
import {delimiter, join} from 'node:path';
import {makeTemporaryFolder} from './owner.mjs';

/** Path of an installed Chromium or Chrome. Undefined if there is none. `INTERLEAVE_BROWSER` names another one. */
export function findBrowser() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const found = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'].flatMap(name =>
    folders.map(folder => join(folder, name)),
  );
  return [process.env.INTERLEAVE_BROWSER, ...found, ...MAC].find(path => path !== undefined && existsSync(path));
}

const MAC = ['Google Chrome', 'Chromium'].map(name => `/Applications/${name}.app/Contents/MacOS/${name}`);

/**
 * Starts a Chromium with its sandbox, which contains the decoding of untrusted pictures. It starts without one only as
 * root, or on a system that offers none.
 *
 * @template T
 * @param {(hasSandbox: boolean) => Promise<T>} launch starts it; if that fails, the error's message has what Chromium
 *   printed
 * @param {(line: string) => void} tell receives a line for the user if Chromium runs without a sandbox
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

/** Why Chromium or Electron has no sandbox for this user: a line to print. Undefined if it should be tried. */
export function whyNoSandbox() {
  return process.getuid?.() === 0 ? `${WITHOUT}: root has none; run this as another user` : undefined;
}

/**
 * Whether Chromium printed that it ended because it has no sandbox (zygote_host_impl_linux.cc, setuid_sandbox_host.cc,
 * credentials.cc), or Playwright printed its own text for that.
 *
 * @param {string} text
 */
export function saysNoSandbox(text) {
  return /No usable sandbox|SUID sandbox helper|Failed to move to new namespace|Chromium sandboxing failed/.test(text);
}

const WITHOUT = 'Chromium runs without its sandbox';
const NOT_GIVEN =
  'this system gives it neither user namespaces nor a setuid helper (Debian has that in chromium-sandbox)';

/**
 * Arguments with which a Chromium talks to one server of ours and to nobody else. Requests of its own go to a proxy
 * where nobody listens, host names included, and most of them are switched off.
 *
 * @param {string} origin the server's: `http://127.0.0.1:1234`
 */
export function quietArguments(origin) {
  return [
    ...QUIET,
    `--proxy-server=${NOBODY}`,
    // only our server bypasses the proxy: `<-loopback>` removes the rule for other loopback and link-local addresses
    `--proxy-bypass-list=<-loopback>;${new URL(origin).host}`,
    // WebRTC must not bypass the proxy
    '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
    // these services are asked even if everything else is switched off
    `--gaia-url=${NOBODY}`,
    `--component-updater=url-source=${NOBODY}/`,
  ];
}

/** Port tcpmux (RFC 1078), where only root could listen. Connections are refused, and no packet leaves this machine. */
const NOBODY = 'http://127.0.0.1:1';

const QUIET = [
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-background-networking',
  '--disable-breakpad',
  '--disable-client-side-phishing-detection',
  '--disable-component-extensions-with-background-pages',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-domain-reliability',
  '--disable-extensions',
  '--disable-field-trial-config',
  '--disable-quic',
  '--disable-search-engine-choice-screen',
  '--disable-sync',
  '--dns-prefetch-disable',
  '--metrics-recording-only',
  '--no-pings',
];

/**
 * More features that are switched off for a window. For pictures Playwright passes a list of its own, and Chromium
 * accepts only one.
 */
export const QUIET_FEATURES = `--disable-features=${[
  // sends signatures of a page's forms
  'AutofillServerCommunication',
  // look for devices to cast to, by multicast
  'DialMediaRouteProvider',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'Translate',
]}`;

/**
 * Preferences of a window's fresh profile. Debian's Chromium contacts nobody without them either, but Chrome has keys
 * for more services.
 */
const PREFERENCES = {
  credentials_enable_service: false,
  dns_over_https: {mode: 'off'},
  // never
  net: {network_prediction_options: 2},
  safebrowsing: {enabled: false, enhanced: false},
  search: {suggest_enabled: false},
  signin: {allowed_on_next_startup: false},
  spellcheck: {use_spelling_service: false},
};

/** Makes a fresh profile for a Chromium that contacts nobody, and returns its folder. */
export function makeProfile() {
  const profile = makeTemporaryFolder();
  mkdirSync(join(profile, 'Default'));
  writeFileSync(join(profile, 'Default/Preferences'), JSON.stringify(PREFERENCES));
  return profile;
}

/** @type {Set<string>} */
const told = new Set();

/** Prints a line on standard error, once per process. */
export function tellOnce(/** @type {string} */ line) {
  if (told.has(line)) return;
  told.add(line);
  process.stderr.write(`interleave: ${line}\n`);
}
