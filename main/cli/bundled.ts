// The modules of worker threads and processes. They are in the same folder as the bundle of the command line,
// dist/main/cli.mjs.

/** `main/workers/worker.ts`: loads of many seeds. */
export const SEED_WORKER = new URL('./worker.mjs', import.meta.url);
/** `main/jobs/experiment/worker.ts`: loads of a grid. */
export const EXPERIMENT_WORKER = new URL('./experimentWorker.mjs', import.meta.url);
/** `main/jobs/advice/worker.ts`: loads that advice compares. */
export const ADVICE_WORKER = new URL('./adviceWorker.mjs', import.meta.url);
/** `main/media/figures/worker.ts`: draws figures. */
export const FIGURE_WORKER = new URL('./figureWorker.mjs', import.meta.url);
/** `main/pages/gateway/process.ts`: fetches and opens pages. */
export const GATEWAY = new URL('./gateway.mjs', import.meta.url);
