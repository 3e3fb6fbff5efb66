// Only for the smoke build, which runs in Electron 9 (build.ts). Its Node 12.14 has no module node:timers/promises.

/** The part of Node's module that the product uses. */
const sleep = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms));

export {sleep as setTimeout};
