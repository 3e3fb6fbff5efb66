/** Replaces `node:perf_hooks` in the web edition. */
const {performance} = globalThis;

export {performance};
