import {type Command, GROUPS} from './command.ts';
import {layOut, row, wrap} from './helpText.ts';
import type {Option} from './options/option.ts';
import {scenarioHelp} from './scenarioHelp.ts';

/** Returns the help of a command, or of the topic `scenario`. Otherwise returns the overview of all commands. */
export function help(topic: string | undefined, commands: readonly Command[]): string {
  if (topic === 'scenario') return scenarioHelp();
  const command = commands.find(({name}) => name === topic);
  return command === undefined ? overview(commands) : commandHelp(command);
}

function overview(commands: readonly Command[]): string {
  const groups = GROUPS.flatMap(group => {
    const own = commands.filter(command => command.group === group);
    const rows = own.map(({name, summary}) => row(name, summary, COMMAND_COLUMN));
    return own.length === 0 ? [] : [`${group}:\n${rows.join('')}`];
  });
  const examples = STARTS.map(({does, line}) => `  ${line}\n      ${does}\n`).join('');
  const shown = [wrap(LEAD), `Start here:\n${examples}`, ...groups, ...CLOSING.map(text => wrap(text))];
  return shown.join('\n');
}

const LEAD =
  'Interleave loads one web page over pipelined TCP and over multistreamed SCTP, on the same lossy network path, and ' +
  'shows both loads side by side. HTTP/2 and HTTP/3 can be compared too.';

const STARTS = [
  {line: 'interleave run --scenario n07-movie', does: 'Load the demo, on a path that loses packets.'},
  {line: 'interleave run --scenario n07-movie --set path.loss=0', does: 'Load the same page without loss.'},
  {
    line: 'interleave run --scenario n08-south-asia --seeds 1-50',
    does: 'Load another page 50 times, and print the means with confidence intervals.',
  },
  {
    line: 'interleave run --set path.rttMs=600 --set path.loss.down=0.02',
    does: 'Load on another path: a satellite link that loses 2 % of the packets.',
  },
];

const CLOSING = [
  'Loads are computed in virtual time: the same scenario and seed give the same result on every machine.',
  'interleave help COMMAND explains a command and all its options. interleave help scenario lists the settings that ' +
    '--set can change; docs/scenario.md has all of them.',
  'interleave --version prints the version and commit of this program. JSON objects and saved loads have ' +
    'both, too. CSV files and JSON arrays have neither, because other programs do not expect them there.',
];

function commandHelp({name, summary, usage, options, details, examples}: Command): string {
  const forms = usage.map(form => `interleave ${name} ${form}`.trimEnd());
  const usageText = forms.map((form, i) => `${i === 0 ? 'Usage: ' : '       '}${form}\n`).join('');
  const optionRows = Object.entries(options).map(([option, record]) =>
    row(optionLabel(option, record), record.help, OPTION_COLUMN),
  );
  const shown = examples.map(({does, line}) => `  # ${does}\n${line.replace(/^/gm, '  ')}\n`);
  const sections = [
    wrap(`interleave ${name}: ${summary}.`),
    usageText,
    ...(shown.length === 0 ? [] : [`Examples:\n${shown.join('\n')}`]),
    `Options:\n${optionRows.join('')}`,
    ...(details === '' ? [] : [layOut(details)]),
  ];
  return sections.join('\n');
}

function optionLabel(name: string, {short, value = ''}: Option): string {
  const letter = short === undefined ? '' : `-${short}, `;
  return `${letter}--${name} ${value}`.trimEnd();
}

const COMMAND_COLUMN = 14;
const OPTION_COLUMN = 26;
