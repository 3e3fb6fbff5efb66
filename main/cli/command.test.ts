import {expect, test, vi} from 'vitest';
import {type Command, type CommandContext, command, readArguments} from './command.ts';
import {COMMANDS} from './commands/list.ts';
import {help} from './help.ts';
import {main} from './main.ts';

// A command needs only a record: if the record is in the list, help shows the command, and main parses and runs it.

const toy = command({
  name: 'toy',
  group: 'List the built-in presets and pages',
  summary: 'Say a word many times',
  usage: ['WORD [options]'],
  hasOperands: true,
  options: {times: {type: 'string', short: 't', value: '2', help: 'How many times the word is said.'}},
  details: 'It says nothing else.\n\n  as  it\n  is',
  examples: [{does: 'Say it thrice', line: 'interleave toy bricks --times 3'}],
  read: ({values, operands}) => ({word: operands[0] ?? '', times: Number(values.times ?? 2)}),
  async run({word, times}, {root, write}) {
    await write(`${root}: ${Array(times).fill(word).join(' ')}\n`);
    return 3;
  },
});
const withToy: readonly Command[] = [...COMMANDS, toy];

/** Runs a command line. Returns what it prints on standard output and standard error, and its exit code. */
async function interleave(...args: string[]) {
  const printed: unknown[] = [];
  const error = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const writeOut: CommandContext['write'] = async bytes => void printed.push(bytes);
  try {
    const code = await main(args, {root: 'here', buildRenderer: async () => undefined, writeOut}, withToy);
    return {code, printed: printed.join(''), error: error.mock.calls.join('')};
  } finally {
    error.mockRestore();
  }
}

test('a command in the list is parsed and run, and its exit code is returned', async () => {
  expect(await interleave('toy', 'bricks')).toEqual({code: 3, printed: 'here: bricks bricks\n', error: ''});
  expect(await interleave('toy', '-t', '3', 'bricks')).toMatchObject({printed: 'here: bricks bricks bricks\n'});
  expect((await interleave('toy', '--time', '3')).error).toBe(
    "interleave: Unknown option '--time'; did you mean --times?\n",
  );
});

test('help and hints name a record that is in the list', async () => {
  expect((await interleave('--help')).printed).toMatch(/^ {2}toy {9}Say a word many times$/m);
  const {printed} = await interleave('help', 'toy');
  expect(printed).toBe(`interleave toy: Say a word many times.

Usage: interleave toy WORD [options]

Examples:
  # Say it thrice
  interleave toy bricks --times 3

Options:
  -t, --times 2           How many times the word is said.

It says nothing else.

  as  it
  is
`);
  expect((await interleave('toy', '--help')).printed).toBe(printed);
  expect(await interleave('toi')).toMatchObject({
    code: 2,
    error: 'interleave: there is no command toi; did you mean toy?\n',
  });
});

test('the overview has every command in one line, and lines of at most 80 characters', () => {
  const overview = help(undefined, COMMANDS);
  for (const {name, summary} of COMMANDS) expect(overview).toContain(`\n  ${name.padEnd(12)}${summary}\n`);
  for (const line of overview.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
});

test('prose in help has lines of at most 80 characters', () => {
  for (const name of [...COMMANDS.map(each => each.name), 'scenario']) {
    // lines with an indent of two may be command lines or files
    const prose = help(name, COMMANDS)
      .split('\n')
      .filter(line => /^(\S| {24})/.test(line));
    for (const line of prose) expect([name, line.length <= 80 ? '' : line]).toEqual([name, '']);
  }
});

test('the help of every option begins with a capital letter or @, and ends with a full stop', () => {
  for (const {name, options} of COMMANDS)
    for (const [option, {help}] of Object.entries(options))
      expect([name, option, help]).toEqual([name, option, expect.stringMatching(/^[A-Z@].*\.$/s)]);
});

/** The command lines of `interleave` in examples, as the shell would split them. */
const EXAMPLES = COMMANDS.flatMap(({examples}) =>
  examples.flatMap(({line}) =>
    line
      .replaceAll('\\\n', ' ')
      .split('\n')
      .flatMap(each => /(?:^|exec \w+ )interleave (.*)$/.exec(each)?.[1] ?? []),
  ),
);

test.each(EXAMPLES)('the arguments of the example are accepted: interleave %s', line => {
  vi.stubEnv('INTERLEAVE_TOKEN', undefined);
  const words = [...line.replace(/ > \S+$/, '').matchAll(/'([^']*)'|(\S+)/g)].map(
    ([, quoted, word]) => quoted ?? word ?? '',
  );
  const [name, ...args] = words.map(word => (word === '$TOKEN' ? 'sixteen-characters' : word));
  const used = COMMANDS.find(each => each.name === name);
  expect(() => readArguments(used as Command, args)).not.toThrow();
  vi.unstubAllEnvs();
});
