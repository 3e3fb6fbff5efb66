import type {Host} from '../../app/host/contract.ts';
import {connectWebHost} from './webHost.ts';
import {takeKey} from './webKey.ts';

declare global {
  interface Window {
    /**
     * The host that Electron's preload or the web edition's first script provides. Undefined in the web shell: there,
     * the program serves the window to a browser.
     */
    readonly interleave?: Host;
  }
}

/**
 * Returns the host that another script has put into this window, or connects to the host of the web shell.
 *
 * @throws Error if there is no such host and the window has no key of a web shell, or if the connection fails.
 */
export async function openHost(): Promise<Host> {
  if (window.interleave !== undefined) return window.interleave;
  const key = takeKey();
  if (key === null) throw new Error(NO_KEY);
  return connectWebHost(`ws://${location.host}/`, key);
}

/**
 * The error of a window without a key. The user has probably copied the address of an open window. The address that
 * the program prints contains a token, which opens one page with a key, and only once.
 */
const NO_KEY =
  'this address cannot open a window: use the address that the program prints (it works once), or start the program ' +
  'again';
