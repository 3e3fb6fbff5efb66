import {join} from 'node:path';
import {expect, test} from 'vitest';
import type {JsonSchema} from '../../app/base/schema.ts';
import {PRESETS} from '../../app/run/scenario/presets.ts';
import {scenarioSchema} from '../../app/run/scenario/scenario.ts';
import {CAUSE_KINDS} from '../../app/run/why/causeKinds.ts';
import {gridSchema} from '../../app/study/experiment/grid.ts';
import {storySchema} from '../../app/telling/story/story.ts';
import {captureSchema} from '../../main/cli/commands/open/captureSchema.ts';
import {resultSchema} from '../../main/cli/commands/run/resultSchema.ts';
import {root} from '../../main/setup/command.mjs';
import {FEATURES} from '../../renderer/features/list.ts';
import {KEY_NAMES, shortcutsOf} from '../../renderer/window/keyboard.ts';
import {commandLinePage} from './commandLinePage.ts';
import {textOf} from './markdown.ts';
import {scenarioTables} from './scenarioPage.ts';

// The parts of the documents that are made from the program. `npm run docs` makes them again.

/** The descriptions of the schemas. */
const KEYS_OF = {
  scenario: 'docs/scenario.md explains the keys. Rules between several keys are checked by the program alone.',
  grid: '`interleave help experiment` explains the keys. Rules between several keys are checked by the program alone.',
  story: 'fixtures/stories/README.md explains the keys. Rules between several keys are checked by the program alone.',
  capture: 'What `interleave open --json` prints. `interleave help run` explains the metrics.',
  result: 'What `interleave run --json` prints. `interleave help run` explains the metrics.',
};

const MADE: readonly (readonly [path: string, make: () => string])[] = [
  ['docs/command-line.md', commandLinePage],
  ['schemas/scenario.schema.json', () => schemaFile('A scenario of Interleave', KEYS_OF.scenario, scenarioSchema())],
  ['schemas/grid.schema.json', () => schemaFile('A grid of Interleave', KEYS_OF.grid, gridSchema())],
  ['schemas/story.schema.json', () => schemaFile('A story of Interleave', KEYS_OF.story, storySchema())],
  ['schemas/result.schema.json', () => schemaFile('A result of Interleave', KEYS_OF.result, resultSchema())],
  ['schemas/capture.schema.json', () => schemaFile('Captured loads of Interleave', KEYS_OF.capture, captureSchema())],
  ['docs/scenario.md', () => withRegions('docs/scenario.md', scenarioRegions())],
  ['docs/why.md', () => withRegions('docs/why.md', new Map([['causes', causeTable()]]))],
  ['docs/window.md', () => withRegions('docs/window.md', new Map([['keys', keyTable()]]))],
];

test.each(MADE)('%s agrees with the program (npm run docs makes it again)', async (path, make) => {
  await expect(make()).toMatchFileSnapshot(join(root, path));
});

function schemaFile(title: string, description: string, schema: JsonSchema): string {
  const head = {$schema: 'https://json-schema.org/draft/2020-12/schema', title, description};
  return `${JSON.stringify({...head, ...schema}, undefined, 2)}\n`;
}

/** The document, with other text between `<!-- made: NAME -->` and `<!-- end -->`. */
function withRegions(path: string, regions: ReadonlyMap<string, string>): string {
  let text = textOf(path);
  for (const [name, inside] of regions) {
    const region = new RegExp(`(<!-- made: ${name} -->\n)[\\s\\S]*?(<!-- end -->)`);
    if (!region.test(text)) throw new Error(`${path} has no place for ${name}`);
    text = text.replace(region, (_, begin: string, end: string) => `${begin}\n${inside}\n${end}`);
  }
  return text;
}

function scenarioRegions(): ReadonlyMap<string, string> {
  return new Map([...scenarioTables(scenarioSchema()), ['presets', presetTable()]]);
}

function keyTable(): string {
  const rows = shortcutsOf(FEATURES).map(({key, text}) => `| \`${KEY_NAMES[key] ?? key}\` | ${text} |`);
  return ['| key | what it does |', '|---|---|', ...rows, ''].join('\n');
}

function causeTable(): string {
  const rows = CAUSE_KINDS.map(({name, label, about, source}) => `| \`${name}\` | ${label} | ${about} | ${source} |`);
  return ['| name | in tables | which time has this cause | source |', '|---|---|---|---|', ...rows, ''].join('\n');
}

function presetTable(): string {
  const rows = PRESETS.map(({name, title, group}) => `| \`${name}\` | ${title} | ${group} |`);
  return ['| preset | path and page | group |', '|---|---|---|', ...rows, ''].join('\n');
}
