import {CALLS, type Host, type HostCalls} from '../../../app/host/contract.ts';

// This module is the first script of a stage, which is a page that paints the frames of movies. A stage is an iframe in
// the window, and uses the window's host. The answers of the host are copied, because each iframe has its own classes
// of typed arrays, such as `Uint8Array`, and the stage's code tests whether arrays are instances of these classes.

const {interleave} = window.parent as {readonly interleave?: Host};
if (interleave !== undefined) {
  const call =
    (name: keyof HostCalls) =>
    async (...args: readonly unknown[]): Promise<unknown> =>
      structuredClone(await (interleave[name] as (...args: readonly unknown[]) => Promise<unknown>)(...args));
  const host = {...Object.fromEntries(CALLS.map(name => [name, call(name)])), on: interleave.on};
  (window as {interleave?: Host}).interleave = host as unknown as Host;
}
