import type {Host} from '../../app/ipc/contract.ts';
import {connectWebHost} from './webHost.ts';

declare global {
  interface Window {
    /** Electron's preload gives it; the web shell has none. */
    readonly interleave?: Host;
  }
}

/** The machine behind this window, whichever shell it is. */
export async function openHost(): Promise<Host> {
  return window.interleave ?? (await connectWebHost(`ws://${location.host}/`));
}
