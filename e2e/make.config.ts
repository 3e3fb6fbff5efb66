import {defineConfig} from 'vitest/config';

// The configuration of the files *.make.ts, which `npm run screenshots`, `npm run bench`, `npm run validate:live` and
// similar commands run. Some of these files open the window with `window.ts`, as tests do.
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.make.ts'],
    testTimeout: 600_000,
    hookTimeout: 60_000,
    reporters: ['dot'],
    fileParallelism: false,
    disableConsoleIntercept: true,
  },
});
