import {existsSync, mkdirSync, writeFileSync} from 'node:fs';
import {delimiter, join} from 'node:path';
import {makeTemporaryFolder} from './owner.mjs';

/**
 * Returns the path of an installed Chromium or Chrome, or undefined if there is none. A browser that the environment
 * variable `INTERLEAVE_BROWSER` names is preferred, if it exists.
 */
export function findBrowser() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const found = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'].flatMap(name =>
    folders.map(folder => join(folder, name)),
  );
  return [process.env.INTERLEAVE_BROWSER, ...found, ...MAC, ...windowsBrowsers()].find(
    path => path !== undefined && existsSync(path),
  );
}

/** Paths of Chrome and Edge on Windows, which are not in PATH. Edge is a Chromium, and always installed. */
function windowsBrowsers() {
  if (process.platform !== 'win32') return [];
  const {PROGRAMFILES, LOCALAPPDATA, 'PROGRAMFILES(X86)': PROGRAMFILES_X86} = process.env;
  const folders = [PROGRAMFILES, PROGRAMFILES_X86, LOCALAPPDATA].filter(folder => folder !== undefined);
  const programs = ['Google/Chrome/Application/chrome.exe', 'Microsoft/Edge/Application/msedge.exe'];
  return programs.flatMap(program => folders.map(folder => join(folder, program)));
}

const MAC = ['Google Chrome', 'Chromium'].map(name => `/Applications/${name}.app/Contents/MacOS/${name}`);

/**
 * Starts a Chromium with its sandbox, which confines the decoding of untrusted pictures. Chromium is started without
 * its sandbox only for root, and on systems that do not support the sandbox.
 *
 * @template T
 * @param {(hasSandbox: boolean) => Promise<T>} launch starts Chromium; if that fails, the error's message contains
 *   what Chromium printed
 * @param {(line: string) => void} print receives a line for the user if Chromium runs without a sandbox
 * @returns {Promise<T>}
 */
export async function launchSandboxed(launch, print) {
  const whyNone = whyNoSandbox();
  if (whyNone === undefined) {
    try {
      return await launch(true);
    } catch (error) {
      if (!(error instanceof Error && saysNoSandbox(error.message))) throw error;
    }
  }
  print(whyNone ?? `${WITHOUT}: ${NOT_SUPPORTED}`);
  return launch(false);
}

/**
 * Returns a line for the user if Chromium and Electron cannot have a sandbox. Returns undefined if the sandbox should
 * be tried.
 */
export function whyNoSandbox() {
  return process.getuid?.() === 0 ? `${WITHOUT}: root cannot use it; run this as another user` : undefined;
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
const NOT_SUPPORTED =
  'this system provides neither user namespaces nor a setuid helper (on Debian, install chromium-sandbox)';

/**
 * Returns arguments with which a Chromium contacts only one server of this program. Most requests of Chromium's own
 * services are switched off. The others, including look-ups of host names, go to a proxy address at which no server
 * listens.
 *
 * @param {string} origin the server's origin: `http://127.0.0.1:1234`
 */
export function quietArguments(origin) {
  return [
    ...QUIET,
    `--proxy-server=${CLOSED_PORT}`,
    // Only our server bypasses the proxy. Without `<-loopback>`, all loopback and link-local addresses would bypass it
    // as well.
    `--proxy-bypass-list=<-loopback>;${new URL(origin).host}`,
    // WebRTC must not bypass the proxy. Older versions of Chromium know this switch by the second name.
    '--webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
    // Chromium asks these services even if everything else is switched off
    `--gaia-url=${CLOSED_PORT}`,
    `--component-updater=url-source=${CLOSED_PORT}/`,
  ];
}

/** Port tcpmux (RFC 1078), where only root could listen. Connections are refused, and no packet leaves this machine. */
const CLOSED_PORT = 'http://127.0.0.1:1';

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
 * The argument that switches off further features if Chromium shows the program's window. If Playwright starts Chromium
 * to take pictures, {@link PLAYWRIGHT_FEATURES} takes its place, because Chromium accepts only one list.
 */
export const QUIET_FEATURES = `--disable-features=${[
  // this feature sends signatures of a page's forms
  'AutofillServerCommunication',
  // these two features use multicast to look for devices that can show a page
  'DialMediaRouteProvider',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'Translate',
]}`;

/**
 * The features that load two pages for the suggestions below the address bar. Without a window, nobody sees these
 * pages. Loading them takes 0.6 s of CPU time for each browser, and for each browser context, which is a profile in
 * memory.
 */
export const UNSEEN_FEATURES = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'];

/**
 * The argument with the features that are switched off if Playwright starts Chromium. Chromium accepts only one list,
 * so this list takes the place of Playwright's, and contains it (browser.test.ts compares them).
 */
export const PLAYWRIGHT_FEATURES = `--disable-features=${[
  // Playwright's own list (chromiumSwitches.ts)
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'DialMediaRouteProvider',
  'GlobalMediaControls',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'BlockOriginHeaderModificationOnRedirect',
  'Translate',
  'AutoDeElevate',
  'OptimizationHints',
  'msForceBrowserSignIn',
  'msEdgeUpdateLaunchServicesPreferredVersion',
  ...UNSEEN_FEATURES,
]}`;

/**
 * Preferences of a window's new profile. They are for Chrome, which has Google's API keys for more services. Debian's
 * Chromium contacts no server even without these preferences.
 */
const PREFERENCES = {
  credentials_enable_service: false,
  dns_over_https: {mode: 'off'},
  // 2 means never
  net: {network_prediction_options: 2},
  safebrowsing: {enabled: false, enhanced: false},
  search: {suggest_enabled: false},
  signin: {allowed_on_next_startup: false},
  spellcheck: {use_spelling_service: false},
};

/** Makes a new profile with these preferences, and returns its folder. */
export function makeProfile() {
  const profile = makeTemporaryFolder();
  mkdirSync(join(profile, 'Default'));
  writeFileSync(join(profile, 'Default/Preferences'), JSON.stringify(PREFERENCES));
  return profile;
}

/** @type {Set<string>} */
const printed = new Set();

/** Prints a line on standard error, once per process. */
export function printOnce(/** @type {string} */ line) {
  if (printed.has(line)) return;
  printed.add(line);
  process.stderr.write(`interleave: ${line}\n`);
}
