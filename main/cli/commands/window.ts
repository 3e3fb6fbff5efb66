import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {command} from '../command.ts';

export const window = command({
  name: 'window',
  group: 'Load a page and compare',
  summary: 'Open the window, with a preset, a file, a link or a page',
  usage: ['[PRESET | FILE… | LINK | PAGE]'],
  hasOperands: true,
  options: {},
  details: `
The window runs in Electron if Electron is installed, else in an installed Chromium or Chrome. If there is no display or
no browser, the command prints the window's address, which can be opened once. Several trace files are shown side by
side.
`,
  examples: [
    {does: 'Open the demo', line: 'interleave window'},
    {does: 'Open a preset', line: 'interleave window web-lte'},
  ],
  read: ({operands}): readonly string[] => operands,
  async run(wanted, {root}) {
    // this is the script of `npm start`, which reads its arguments from process.argv
    const start = join(root, 'main/setup/start.mjs');
    process.argv = [process.execPath, start, ...wanted];
    await import(pathToFileURL(start).href);
    return Number(process.exitCode ?? 0);
  },
});
