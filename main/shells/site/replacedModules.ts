/**
 * Modules of Node, and our modules that depend on Node, each with the module in `platform` that replaces it in the web
 * edition. Paths are relative to the root of the repository.
 */
export const REPLACED: readonly (readonly [module: string, replacement: string])[] = [
  ['node:worker_threads', 'workerThreads'],
  ['node:os', 'os'],
  ['node:perf_hooks', 'perfHooks'],
  ['node:crypto', 'crypto'],
  ['node:path', 'path'],
  ['node:timers/promises', 'timersPromises'],
  ['native/addon/index.js', 'addon'],
  ['main/files/program.ts', 'program'],
  ['main/files/cache.ts', 'cache'],

  ['main/files/outputFile.ts', 'outputFile'],
  ['main/media/movie/framesByScreenshot.ts', 'framesByScreenshot'],
  ['main/media/movie/stills.ts', 'stills'],
  ['main/media/studio/pageObject.ts', 'pageObject'],
  ['main/pages/openPage.ts', 'openPage'],
  ['main/pages/convertPage.ts', 'convertPage'],
  ['main/pages/open/zipFiles.ts', 'zipFiles'],
  ['main/pages/open/mhtml.ts', 'mhtml'],
  ['main/pages/store/bundleZip.ts', 'bundleZip'],
];
