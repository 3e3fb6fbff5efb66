import {defineConfig} from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{app,main,renderer,native,fixtures}/**/*.test.{ts,tsx}'],
    exclude: ['**/node_modules/**', 'native/target/**'],
  },
});
