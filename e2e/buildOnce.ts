import type {TestProject} from 'vitest/node';
import {BUILT, bundleMain, bundleRenderer} from '../main/setup/bundle.mjs';
import {root} from '../main/setup/command.mjs';

/**
 * Builds the bundles once, before the first test file that uses them. After that no test builds: edits during the run
 * do not change a window that another file has open, and no test waits for a build within its time limit.
 */
export default async function buildOnce(project: TestProject): Promise<void> {
  await build();
  // with `vitest --watch`, edits are built before the files run again
  project.onTestsRerun(build);
}

async function build(): Promise<void> {
  delete process.env[BUILT];
  await bundleMain();
  await bundleRenderer();
  process.env[BUILT] = root;
}
