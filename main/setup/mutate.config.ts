import {readFileSync} from 'node:fs';
import {defineConfig, mergeConfig} from 'vitest/config';
import tests from '../../vitest.config.ts';
import {type Mutant, withFault} from './mutants.mjs';

// The configuration of the tests for `npm run mutate`: when a test imports the mutated file, it gets the mutant.

const mutant: (Mutant & {readonly path: string}) | undefined =
  JSON.parse(process.env['INTERLEAVE_MUTANT'] ?? 'null') ?? undefined;

export default mergeConfig(
  tests,
  defineConfig({
    plugins: [
      {
        name: 'mutant',
        enforce: 'pre',
        load(id) {
          if (mutant === undefined || id.replace(/\?.*$/, '') !== mutant.path) return undefined;
          return withFault(readFileSync(mutant.path, 'utf8'), mutant);
        },
      },
    ],
  }),
);
