import type {Browser} from './browser.ts';
import {chromium} from './chromium.ts';
import {firefox} from './firefox.ts';
import {plain} from './plain.ts';
import {safari} from './safari.ts';

/** All browsers, in the order in which the user can choose them. */
export const BROWSERS = [plain, chromium, firefox, safari] as const;

export type BrowserName = (typeof BROWSERS)[number]['name'];

/** Returns the browser with this name. @throws RangeError if there is none, which is a bug */
export function browserOf(name: BrowserName): Browser {
  const found = BROWSERS.find(browser => browser.name === name);
  if (found === undefined) throw new RangeError(`invalid browser: ${name}`);
  return found;
}
