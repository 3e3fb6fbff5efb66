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
 * As somebody copied the address of a window that is open: the one that the program gave was another, and worked once.
 */
const NO_KEY = 'this address opens no window: use the one that the program prints, or start the program again';
