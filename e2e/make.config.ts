import {defineConfig} from 'vitest/config';

// Not tests: what `npm run screenshots` and `npm run bench` make with the same window.
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
