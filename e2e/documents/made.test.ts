import {join} from 'node:path';
import {expect, test} from 'vitest';
import {PRESETS} from '../../app/run/scenario/presets.ts';
import {scenarioSchema} from '../../app/run/scenario/scenario.ts';
import {root} from '../../main/setup/command.mjs';
import {FEATURES} from '../../renderer/features/list.ts';
import {KEY_NAMES, shortcutsOf} from '../../renderer/window/keyboard.ts';
import {commandLinePage} from './commandLinePage.ts';
import {textOf} from './markdown.ts';
import {scenarioTables} from './scenarioPage.ts';

// The parts of the documents that are made from the program. `npm run docs` makes them again.

const MADE: readonly (readonly [path: string, make: () => string])[] = [
  ['docs/command-line.md', commandLinePage],
  ['docs/scenario.schema.json', () => `${JSON.stringify(schemaFile(), undefined, 2)}\n`],
  ['docs/scenario.md', () => withRegions('docs/scenario.md', scenarioRegions())],
  ['docs/window.md', () => withRegions('docs/window.md', new Map([['keys', keyTable()]]))],
];

test.each(MADE)('%s agrees with the program (npm run docs makes it again)', async (path, make) => {
  await expect(make()).toMatchFileSnapshot(join(root, path));
});

function schemaFile() {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'A scenario of Interleave',
    description: 'docs/scenario.md explains the keys. Rules between several keys are checked by the program alone.',
    ...scenarioSchema(),
  };
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

function presetTable(): string {
  const rows = PRESETS.map(({name, title, group}) => `| \`${name}\` | ${title} | ${group} |`);
  return ['| preset | path and page | group |', '|---|---|---|', ...rows, ''].join('\n');
}
