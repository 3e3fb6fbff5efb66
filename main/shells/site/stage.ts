import {CALLS, type Host, type HostCalls} from '../../../app/host/contract.ts';

// This module is the first script of a stage, which paints the frames of movies. A stage is in a frame of the window,
// and uses its host. Answers are copied, because code tests whether arrays are of its own frame's classes.

const {interleave} = window.parent as {readonly interleave?: Host};
if (interleave !== undefined) {
  const call =
    (name: keyof HostCalls) =>
    async (...args: readonly unknown[]): Promise<unknown> =>
      structuredClone(await (interleave[name] as (...args: readonly unknown[]) => Promise<unknown>)(...args));
  const host = {...Object.fromEntries(CALLS.map(name => [name, call(name)])), on: interleave.on};
  (window as {interleave?: Host}).interleave = host as unknown as Host;
}
