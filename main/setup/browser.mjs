import {existsSync, mkdirSync, writeFileSync} from 'node:fs';
import {delimiter, join} from 'node:path';
import {makeTemporaryFolder} from './owner.mjs';

/** An installed Chromium or Chrome; undefined if there is none. `INTERLEAVE_BROWSER` names another. */
export function findBrowser() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const found = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'].flatMap(name =>
    folders.map(folder => join(folder, name)),
  );
  return [process.env.INTERLEAVE_BROWSER, ...found, ...MAC].find(path => path !== undefined && existsSync(path));
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
  return /No usable sandbox|SUID sandbox helper|Failed to move to new namespace|Chromium sandboxing failed/.test(text);
}

const WITHOUT = 'Chromium runs without its sandbox';
const NOT_GIVEN =
  'this system gives it neither user namespaces nor a setuid helper (Debian has that in chromium-sandbox)';

/**
 * Arguments with which a Chromium speaks with one server of ours and nobody else: what it would ask by itself goes to a
 * proxy at which nobody is, names and all, and most of that is switched off.
 *
 * @param {string} origin the server's: `http://127.0.0.1:1234`
 */
export function quietArguments(origin) {
  return [
    ...QUIET,
    `--proxy-server=${NOBODY}`,
    // without the rule that loopback and link-local addresses need no proxy: one of ours only
    `--proxy-bypass-list=<-loopback>;${new URL(origin).host}`,
    // no peer is reached beside the proxy
    '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
    // accounts and components are asked for there, whatever else is switched off
    `--gaia-url=${NOBODY}`,
    `--component-updater=url-source=${NOBODY}/`,
  ];
}

/** Port tcpmux (RFC 1078), where root alone could listen: a connection is refused, and no packet leaves this machine. */
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
 * What a window's Chromium has switched off beside that. Playwright has a list of its own for pictures, and Chromium
 * takes one only.
 */
export const QUIET_FEATURES = `--disable-features=${[
  // signatures of a page's forms
  'AutofillServerCommunication',
  // devices to cast to, by multicast
  'DialMediaRouteProvider',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'Translate',
]}`;

/**
 * The preferences that a window's fresh profile begins with. Debian's Chromium asks nobody without them either; Chrome
 * has keys to more services.
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

/** A fresh profile of a Chromium that asks nobody: its folder. */
export function makeProfile() {
  const profile = makeTemporaryFolder();
  mkdirSync(join(profile, 'Default'));
  writeFileSync(join(profile, 'Default/Preferences'), JSON.stringify(PREFERENCES));
  return profile;
}

/** @type {Set<string>} */
const told = new Set();

/** On standard error, once in this process. */
export function tellOnce(/** @type {string} */ line) {
  if (told.has(line)) return;
  told.add(line);
  process.stderr.write(`interleave: ${line}\n`);
}
