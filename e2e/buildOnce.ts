import type {TestProject} from 'vitest/node';
import {BUILT, bundleMain, bundleRenderer} from '../main/setup/bundle.mjs';
import {root} from '../main/setup/command.mjs';

/**
 * Before the first file of those that use the bundles. From here on nobody in this run builds: what is edited
 * meanwhile does not change a window that another file has open, and nobody waits for a build within a test's time.
 */
export default async function buildOnce(project: TestProject): Promise<void> {
  await build();
  // what is edited under `vitest --watch` is built before the files run again
  project.onTestsRerun(build);
}

async function build(): Promise<void> {
  delete process.env[BUILT];
  await bundleMain();
  await bundleRenderer();
  process.env[BUILT] = root;
}
