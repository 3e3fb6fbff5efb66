import type {Host} from '../../app/host/contract.ts';
import {connectWebHost} from './webHost.ts';
import {takeKey} from './webKey.ts';

declare global {
  interface Window {
    /** The host that Electron's preload provides; undefined in the web shell. */
    readonly interleave?: Host;
  }
}

/** The host behind this window, in either shell. */
export async function openHost(): Promise<Host> {
  if (window.interleave !== undefined) return window.interleave;
  const key = takeKey();
  if (key === null) throw new Error(NO_KEY);
  return connectWebHost(`ws://${location.host}/`, key);
}

/**
 * The message for a window without a key. Its address was probably copied from a window that is open: that address no
 * longer has the key, because the one that the program prints works only once.
 */
const NO_KEY = 'this address opens no window: use the one that the program prints, or start the program again';
