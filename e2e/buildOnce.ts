import type {TestProject} from 'vitest/node';
import {BUILT, bundleMain, bundleRenderer} from '../main/setup/bundle.mjs';
import {root} from '../main/setup/command.mjs';

/**
 * Builds the bundles once, before the first test file that uses them. After that no test builds them again. So an edit
 * during the run does not change a window that a test has open, and no time limit includes this build.
 */
export default async function buildOnce(project: TestProject): Promise<void> {
  await build();
  // with `vitest --watch`, edited sources are built before the files run again
  project.onTestsRerun(build);
}

async function build(): Promise<void> {
  delete process.env[BUILT];
  await bundleMain();
  await bundleRenderer();
  process.env[BUILT] = root;
}
