// The addresses of the modules that run in worker threads and in other processes. The build puts them into the same
// folder as the bundle of the command line, dist/main/cli.mjs.

/** `main/workers/seedWorker.ts`, which computes loads of many seeds. */
export const SEED_WORKER = new URL('./worker.mjs', import.meta.url);
/** `main/jobs/experiment/experimentWorker.ts`, which computes the loads of a grid. */
export const EXPERIMENT_WORKER = new URL('./experimentWorker.mjs', import.meta.url);
/** `main/jobs/advice/adviceWorker.ts`, which computes the loads that advice compares. */
export const ADVICE_WORKER = new URL('./adviceWorker.mjs', import.meta.url);
/** `main/media/figures/figureWorker.ts`, which draws figures. */
export const FIGURE_WORKER = new URL('./figureWorker.mjs', import.meta.url);
/** `main/pages/gateway/gatewayMain.ts`, which fetches and opens pages. */
export const GATEWAY = new URL('./gateway.mjs', import.meta.url);
