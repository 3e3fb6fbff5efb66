import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {vi} from 'vitest';
import {bundleMain, bundleRenderer, bundles} from '../../setup/bundle.mjs';
import {root} from '../../setup/command.mjs';

// With this module, tests run the command line inside the process of the test, because starting a separate process
// takes longer than most commands.

/** How a command line ended, and what it printed. */
export interface Ended {
  /** The exit code. Null if a signal ended the command. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

await bundleMain();
/** `main` of the bundle that a separate process would run. The bundles of its workers are in the same folder. */
const {main} = (await import(pathToFileURL(join(bundles, 'cli.mjs')).href)) as typeof import('../main.ts');

/** Runs a command line in `folder`. Only one may run at a time, because each changes the working directory. */
export async function runHere(folder: string, args: readonly string[]): Promise<Ended> {
  const printed: Buffer[] = [];
  const before = process.cwd();
  const error = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  process.chdir(folder);
  try {
    const status = await main(args, {
      root,
      buildRenderer: bundleRenderer,
      writeOut: async bytes => void printed.push(Buffer.from(bytes)),
    });
    const stderr = error.mock.calls.map(([line]) => String(line)).join('');
    return {status, stdout: Buffer.concat(printed).toString(), stderr};
  } finally {
    process.chdir(before);
    error.mockRestore();
  }
}
