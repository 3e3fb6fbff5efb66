import {availableParallelism} from 'node:os';
import {defineConfig} from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: 'e2e/cacheFolder.ts',
    include: ['{app,main,renderer,native,fixtures,e2e}/**/*.test.{ts,tsx}'],
    // a browser has to start, and a machine may be slow or busy: that is no fault
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: {poll: {timeout: 60_000}},
    // two on two cores: many wait for a browser or a peer
    maxWorkers: Math.max(2, availableParallelism() - 1),
    exclude: ['**/node_modules/**', 'native/target/**'],
  },
});
