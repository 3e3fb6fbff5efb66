import {defineConfig} from 'vitest/config';

// The configuration of `npm run screenshots`, `npm run bench` and `npm run validate:live`. They use the tests' window.
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
