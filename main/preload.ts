import {contextBridge, ipcRenderer} from 'electron';
import {CALLS, EVENTS} from '../app/host/contract.ts';

// Gives the window's page in Electron the calls and events that app/host/contract.ts lists. The page can use nothing
// else of the machine.

const calls = CALLS.map(call => [call, (...args: unknown[]) => ipcRenderer.invoke(call, ...args)] as const);

const on = (event: string, listener: (value: unknown) => void): (() => void) => {
  const known = EVENTS.find(each => each === event);
  if (known === undefined) throw new TypeError(`no such event: ${event}`);
  const listen = (_event: unknown, value: unknown) => listener(value);
  ipcRenderer.on(known, listen);
  return () => void ipcRenderer.removeListener(known, listen);
};

contextBridge.exposeInMainWorld('interleave', {...Object.fromEntries(calls), on});
