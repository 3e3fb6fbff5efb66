import {PRESETS} from '../../../app/run/scenario/presets.ts';
import {command} from '../command.ts';
import {type Format, formatOf, JSON_OUTPUT} from '../options/output.ts';
import {json} from '../output.ts';

export const presets = command({
  name: 'presets',
  group: 'List the built-in presets and pages',
  summary: 'List the presets: scenarios of the papers, and some of today',
  usage: ['[options]'],
  options: {json: JSON_OUTPUT},
  details: 'Every preset names its source.',
  examples: [{does: 'Load one of them', line: 'interleave run --scenario n08-south-asia'}],
  read: ({values}): Format => formatOf(values),
  async run(format, {write}) {
    await write(format === 'json' ? json(PRESETS) : presetList());
    return 0;
  },
});

function presetList(): string {
  const width = Math.max(...PRESETS.map(preset => preset.name.length));
  return PRESETS.map(({name, title, group, source, varies}, i) => {
    const indent = `\n${' '.repeat(width + 2)}`;
    const ranges = varies.length === 0 ? '' : `${indent}--set ${varies.join(', --set ')}`;
    const heading = group === PRESETS[i - 1]?.group ? '' : `${group}\n\n`;
    return `${heading}${name.padEnd(width)}  ${title}${indent}${source}${ranges}\n`;
  }).join('\n');
}
