import {fixtureNames, openPage} from '../../pages/openPage.ts';
import {command} from '../command.ts';
import {type Format, formatOf, JSON_OUTPUT} from '../options/output.ts';
import {json} from '../output.ts';

export const pages = command({
  name: 'pages',
  group: 'List the built-in presets and pages',
  summary: 'List the built-in pages',
  usage: ['[options]'],
  options: {json: JSON_OUTPUT},
  details: '',
  examples: [{does: 'Load one of them', line: 'interleave run --page gallery-png'}],
  read: ({values}): Format => formatOf(values),
  async run(format, {fixtures, write}) {
    const rows = await pageRows(fixtures);
    await write(format === 'json' ? json(rows) : pageList(rows));
    return 0;
  },
});

interface PageRow {
  readonly name: string;
  readonly objects: number;
  readonly htmlBytes: number;
  readonly objectBytes: number;
}

async function pageRows(fixtures: string): Promise<readonly PageRow[]> {
  const rows: PageRow[] = [];
  for (const name of fixtureNames(fixtures)) {
    const [index, ...objects] = (await openPage({kind: 'named', name}, fixtures)).objects;
    const objectBytes = objects.reduce((sum, object) => sum + (object.body?.length ?? 0), 0);
    rows.push({name, objects: objects.length, htmlBytes: index?.body?.length ?? 0, objectBytes});
  }
  return rows;
}

function pageList(rows: readonly PageRow[]): string {
  const width = Math.max(...rows.map(row => row.name.length));
  return rows
    .map(
      row =>
        `${row.name.padEnd(width)}  HTML ${row.htmlBytes} B, ${row.objects} objects with ${row.objectBytes} B in all\n`,
    )
    .join('');
}
