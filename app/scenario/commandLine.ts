import {type Json, scenarioDocument} from './document.ts';
import {PRESETS} from './presets.ts';
import {parseScenario, type Scenario} from './scenario.ts';

/** The shortest command that does it with the same run, for a POSIX shell. */
export function commandLine(command: 'run' | 'record', scenario: Scenario): string {
  const wanted = leaves(scenarioDocument(scenario));
  const starts = [{name: null, scenario: {}}, ...PRESETS].map(({name, scenario: document}) => {
    const settings = differences(document, wanted);
    const words = [
      `npx interleave ${command}`,
      ...(name === null ? [] : [`--scenario ${name}`]),
      ...settings,
    ];
    return words.join(' ');
  });
  return starts.reduce((shortest, command) => (command.length < shortest.length ? command : shortest));
}

function differences(document: Json, wanted: readonly Leaf[]): readonly string[] {
  const parsed = parseScenario(document);
  if (!parsed.ok) throw new Error(`invalid preset: ${JSON.stringify(document)}`);
  const given = new Map(leaves(scenarioDocument(parsed.scenario)));
  const differing = wanted.filter(([key, value]) => key !== TYPICAL && given.get(key) !== value);
  // any other setting takes it away
  const before = differing.length === 0 ? (given.get(TYPICAL) ?? 'null') : 'null';
  const typical = wanted.find(([key]) => key === TYPICAL) ?? [TYPICAL, 'null'];
  return [...differing, ...(typical[1] === before ? [] : [typical])].map(([key, value]) => {
    return `--set ${quoted(`${key}=${value}`)}`;
  });
}

const TYPICAL = 'typicalOf';

/** A key as `--set` takes it, and its value's JSON. */
type Leaf = readonly [key: string, value: string];

function leaves(document: {readonly [key: string]: Json}): readonly Leaf[] {
  return Object.entries(document).flatMap(([key, value]): Leaf[] => {
    if (key !== 'path') return [[key, JSON.stringify(value)]];
    return Object.entries(value as object).map(([setting, each]) => [
      `path.${setting}`,
      JSON.stringify(each),
    ]);
  });
}

function quoted(word: string): string {
  return /^[\w.=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
