import {availableParallelism} from 'node:os';
import {mergeExperiments} from '../../../jobs/experiment/merge.ts';
import {command} from '../../command.ts';
import {untilInterrupted} from '../../interruption.ts';
import {type Format, folderOf, formatOf} from '../../options/output.ts';
import {UsageError} from '../../options/usageError.ts';
import {json} from '../../output.ts';
import {outputsText, present} from './present.ts';

interface MergeSettings {
  /** The paths of the folders of the parts. */
  readonly parts: readonly string[];
  readonly out: string;
  readonly format: Format;
}

export const merge = command({
  name: 'merge',
  group: 'Run many loads as a study',
  summary: 'Join the parts of an experiment that ran on several machines',
  usage: ['DIR … --out DIR [options]'],
  hasOperands: true,
  options: {
    out: {type: 'string', short: 'o', value: 'DIR', help: 'The folder to write; it must be new.'},
    json: {type: 'boolean', help: 'Prints a summary of the runs as JSON, for scripts.'},
  },
  details: `
The command writes the same files, byte for byte, that one machine would have written. If a part is missing, is
unfinished, is given twice or belongs to another grid, the error names the part, and nothing is written.
`,
  examples: [{does: 'Join eight parts', line: 'interleave merge parts/* --out n07'}],
  read({values, operands: parts}): MergeSettings {
    if (parts.length === 0)
      throw new UsageError('the folders of the parts are missing: interleave merge DIR … --out DIR');
    return {parts, out: folderOf(values), format: formatOf(values)};
  },
  run: ({parts, out, format}, {write}) =>
    untilInterrupted(async signal => {
      const {identity, outputs} = await mergeExperiments(parts, out, signal);
      await present(out, identity, outputs, {signal, jobs: availableParallelism()});
      await write(format === 'json' ? json({out, outputs: outputs.counts}) : `${outputsText(outputs, out)}\n`);
      return 0;
    }),
});
