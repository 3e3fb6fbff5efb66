import type {JsonSchema} from '../../app/base/schema.ts';

/** A key of a scenario file, in the form of the tables of docs/scenario.md. */
interface Row {
  readonly key: string;
  readonly values: string;
  readonly usual: string;
  readonly about: string;
}

/** The tables of docs/scenario.md. The key of each is the name of the region that contains the table. */
export function scenarioTables(schema: JsonSchema): ReadonlyMap<string, string> {
  const {page, path, panes, changes} = propertiesOf(schema);
  const synthetic = propertiesOf(formWith(page, 'synthetic'))['synthetic'] ?? {};
  const change = (changes?.['items'] ?? {}) as JsonSchema;
  const loss = propertiesOf(path ?? {})['loss'] ?? {};
  const losses = formsOf(formsOf(loss)[0] ?? {}).filter(form => form['type'] === 'object');
  return new Map([
    ['whole', table(rowsOf(schema, ''))],
    ['page', table([...rowsOf(formWith(page, 'bundle'), 'page.'), ...rowsOf(synthetic, 'page.synthetic.')])],
    ['path', table(rowsOf(path ?? {}, 'path.'))],
    ['loss', table(losses.flatMap(form => rowsOf(form, '')).filter(isFirst))],
    [
      'panes',
      formsOf((panes?.['items'] ?? {}) as JsonSchema)
        .map(paneText)
        .join('\n'),
    ],
    ['changes', table([...rowsOf(change, ''), ...rowsOf(propertiesOf(change)['path'] ?? {}, 'path.')])],
  ]);
}

function paneText(pane: JsonSchema): string {
  const {pipeline, conversion: _, path: __, drop: ___, ...settings} = propertiesOf(pane);
  const [name] = (pipeline?.['enum'] ?? []) as readonly string[];
  const rows = rowsOf({...pane, properties: settings}, '');
  return `### ${name}\n\n${sentence(pane['description'])}\n\n${table(rows)}`;
}

function rowsOf(schema: JsonSchema, prefix: string): readonly Row[] {
  const required = (schema['required'] ?? []) as readonly string[];
  return Object.entries(propertiesOf(schema)).map(([key, setting]) => ({
    key: `${prefix}${key}`,
    values: valuesOf(setting),
    usual: required.includes(key) ? 'required' : usualOf(setting),
    about: sentence(setting['description']),
  }));
}

function isFirst({key}: Row, index: number, rows: readonly Row[]): boolean {
  return rows.findIndex(row => row.key === key) === index;
}

function table(rows: readonly Row[]): string {
  const lines = rows.map(({key, values, usual, about}) => `| \`${key}\` | ${values} | ${usual} | ${about} |`);
  return ['| key | values | default | what it sets |', '|---|---|---|---|', ...lines, ''].join('\n');
}

/** The allowed values of a key, in a few words. */
function valuesOf(schema: JsonSchema): string {
  const {type, minimum, maximum, minItems, maxItems} = schema;
  const forms = formsOf(schema);
  if (forms.length > 0) return formsText(forms);
  if (Array.isArray(schema['enum'])) return schema['enum'].map(word => `\`${word}\``).join(', ');
  if (type === 'integer' || type === 'number')
    return `${type === 'integer' ? 'whole number' : 'number'}, ${minimum} to ${maximum}`;
  if (type === 'boolean') return '`true`, `false`';
  if (type === 'array') return `list of ${minItems} to ${maxItems}`;
  if (type === 'null') return '`null`';
  if (type === 'string') return 'text';
  return `\`{${Object.keys(propertiesOf(schema))
    .map(key => `"${key}"`)
    .join(', ')}}\``;
}

/** Shortens the text for a value that is either the same in both directions or different in each. */
function formsText(forms: readonly JsonSchema[]): string {
  const [one = {}, both = {}] = forms;
  if (Object.hasOwn(propertiesOf(both), 'down')) return `${valuesOf(one)}; or \`{"down": …, "up": …}\` of these`;
  return forms.map(valuesOf).join(', or ');
}

function usualOf({default: usual}: JsonSchema): string {
  return usual === undefined ? '' : `\`${JSON.stringify(usual)}\``;
}

/** The text for a cell of a table. */
function sentence(text: unknown): string {
  const line = typeof text === 'string' ? text.replaceAll('|', '\\|') : '';
  const first = line.slice(0, 1).toUpperCase() + line.slice(1);
  return line === '' || /\.$/.test(line) ? first : `${first}.`;
}

function propertiesOf(schema: JsonSchema): {readonly [key: string]: JsonSchema} {
  return (schema['properties'] ?? {}) as {readonly [key: string]: JsonSchema};
}

function formsOf(schema: JsonSchema): readonly JsonSchema[] {
  return (schema['anyOf'] ?? []) as readonly JsonSchema[];
}

function formWith(schema: JsonSchema | undefined, key: string): JsonSchema {
  return formsOf(schema ?? {}).find(form => Object.hasOwn(propertiesOf(form), key)) ?? {};
}
