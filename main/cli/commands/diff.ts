import {basename} from 'node:path';
import {showName} from '../../../app/base/text.ts';
import {titleOf} from '../../../app/pipelines/paneLabels.ts';
import type {FilePane} from '../../../app/run/trace/joinRuns.ts';
import {Trace} from '../../../app/run/trace/trace.ts';
import {causeKind} from '../../../app/run/why/causeKinds.ts';
import {whySentence} from '../../../app/run/why/causeTotals.ts';
import {byDifference, diffRuns, type ObjectDiff, type RunDiff, type SideTime} from '../../../app/run/why/runDiff.ts';
import {whyOptionsOf} from '../../../app/run/why/whyOptions.ts';
import {command} from '../command.ts';
import {KEYS, panesOfRecordings} from '../options/captures.ts';
import {type Format, formatOf, JSON_OUTPUT} from '../options/output.ts';
import {paneNumbers} from '../options/paneNumbers.ts';
import {UsageError} from '../options/usageError.ts';
import {json} from '../output.ts';
import {causeRows, columnOf, differenceOf, inMs} from './causeRows.ts';
import {align, milliseconds} from './run/result.ts';

interface DiffSettings {
  readonly files: readonly [string, string];
  readonly keys: readonly string[];
  /** The index of the pane of each file. If undefined, panes with the same index are compared. */
  readonly panes: readonly [number, number] | undefined;
  readonly format: Format;
}

export const diff = command({
  name: 'diff',
  group: 'Load a page and compare',
  summary: 'Compare two saved loads by cause, object by object',
  usage: ['A.trace B.trace [options]', 'CAPTURE B.trace [--keys FILE] [options]'],
  hasOperands: true,
  options: {
    panes: {
      type: 'string',
      value: '1,2',
      help:
        'The pane of the first file, and the pane of the second file with which it is compared. By default, all ' +
        'panes with the same number are compared.',
    },
    keys: KEYS,
    json: JSON_OUTPUT,
  },
  details: `
The files are traces of computed or live loads (interleave trace --out FILE), or captures of other programs (interleave
open). Their pages may be different. Nothing is loaded again.

The first table has the causes of the time from navigation until the page was complete (docs/why.md) in both loads, and
the difference. In each column the causes add up to the total. The second table has a row for each object, found by its
address in both loads: when the object was complete, the difference, and the causes with most of the difference. All
times are in ms, from navigation.

A client does not see what the path and the server did. So the trace of a live load shows only the set-up of its
connection, how long requests waited, and head-of-line blocking (not over the TCP of the kernel). All other time is
'not known'.
docs/captures.md says what a capture shows.

--json prints {"comparisons": [{"sides": […], "differenceMs": …, "causes": [{"name": …, "ms": …}], "objects": […]}]}.
Each side has "file", "pane", "pipeline", "totalMs" and "causes", and "reason" if it has no time. Each object has "url",
"totalMs" of both sides, "differenceMs" and "causes". In the "causes" of a comparison and of an object, each "ms" is the
time of the second side minus that of the first. A time that was never reached is null.
`,
  examples: [
    {does: 'See what a setting changed', line: 'interleave diff before.trace after.trace'},
    {does: 'Compare the panes of one file', line: 'interleave diff run.trace run.trace --panes 1,2'},
    {
      does: 'Compare what a browser recorded with a computed load',
      line: 'interleave diff load.pcapng computed.trace --keys sslkeys.log',
    },
    {does: 'Compare a live load with its computed counterpart', line: 'interleave diff live.trace computed.trace'},
  ],
  read({values, operands}): DiffSettings {
    const [first, second, ...others] = operands;
    if (first === undefined || second === undefined || others.length > 0)
      throw new UsageError(`diff needs two files, not ${operands.length}: interleave diff A.trace B.trace`);
    const [own, other, ...more] = values.panes === undefined ? [] : paneNumbers(values.panes);
    if (values.panes !== undefined && (other === undefined || more.length > 0))
      throw new UsageError(`--panes is ${values.panes}: must be a pane of each file, as in 1,2`);
    const panes = own === undefined || other === undefined ? undefined : ([own, other] as const);
    return {files: [first, second], keys: values.keys ?? [], panes, format: formatOf(values)};
  },
  async run({files, keys, panes, format}, {write}) {
    const compared = pairsOf(await panesOfRecordings(files, keys), files, panes).map(comparison);
    await write(format === 'json' ? json({comparisons: compared.map(documentOf)}) : compared.map(textOf).join('\n'));
    return 0;
  },
});

type Pair = readonly [FilePane, FilePane];

/** Returns the panes that are compared. @throws UsageError */
function pairsOf(
  [first = [], second = []]: readonly (readonly FilePane[])[],
  files: DiffSettings['files'],
  chosen: DiffSettings['panes'],
): readonly Pair[] {
  if (chosen !== undefined) return [[paneOf(first, chosen[0], files[0]), paneOf(second, chosen[1], files[1])]];
  if (first.length !== second.length) {
    const counts = `${first.length} and ${second.length} panes`;
    throw new UsageError(`the files have ${counts}: choose a pane of each with --panes, as in --panes 1,2`);
  }
  return first.map((pane, i) => [pane, paneOf(second, i, files[1])]);
}

function paneOf(panes: readonly FilePane[], number: number, file: string): FilePane {
  const pane = panes[number];
  if (pane !== undefined) return pane;
  const count = `${panes.length} pane${panes.length === 1 ? '' : 's'}`;
  throw new UsageError(`--panes has ${number + 1}, but ${showName(basename(file), LONGEST_NAME)} has ${count}`);
}

interface Compared {
  readonly pair: Pair;
  readonly names: readonly [string, string];
  readonly diff: RunDiff;
}

function comparison(pair: Pair): Compared {
  const [first, second] = pair.map(({data, scenario, pane}) => {
    return {trace: new Trace(data), options: whyOptionsOf(scenario, pane)};
  });
  if (first === undefined || second === undefined) throw new RangeError('no pair');
  return {pair, names: namesOf(pair), diff: diffRuns(first, second)};
}

/**
 * Returns the names of the sides in tables and sentences. They are the names of the files, or else the titles of the
 * panes, or else the numbers of the panes, or else A and B: the first of these pairs in which the two names differ.
 */
function namesOf(pair: Pair): Compared['names'] {
  const files = pair.map(({file}) => showName(file, LONGEST_NAME));
  const titles = pair.map(titleOfPane);
  const places = pair.map(({pane}) => `pane ${pane + 1}`);
  const [[a = '', b = ''] = []] = [files, titles, places, ['A', 'B']].filter(([one, other]) => one !== other);
  return [a, b];
}

function titleOfPane({scenario, pane, data}: FilePane): string {
  const settings = scenario.panes[pane];
  return settings === undefined ? data.pipeline : titleOf(settings);
}

function documentOf({pair, diff: {page, reasons, objects}}: Compared) {
  return {
    sides: pair.map(({file, pane, data: {pipeline}}, i) => {
      const [side, reason] = [page.sides[i] ?? null, reasons[i] ?? null];
      const known = {totalMs: ms(side), causes: (side?.causes ?? []).map(inMs)};
      return {file, pane: pane + 1, pipeline, ...known, ...(reason === null ? {} : {reason})};
    }),
    differenceMs: page.moreNs === null ? null : page.moreNs / 1e6,
    causes: page.causes.map(inMs),
    objects: objects.map(({url, sides, moreNs, causes}) => ({
      url,
      totalMs: sides.map(ms),
      differenceMs: moreNs === null ? null : moreNs / 1e6,
      causes: causes.map(inMs),
    })),
  };
}

function ms(side: SideTime): number | null {
  return side === null ? null : side.ns / 1e6;
}

function textOf({pair, names, diff: {page, reasons, objects}}: Compared): string {
  const [first, second] = page.sides;
  const sides = names.map((name, i) => ({name, totals: page.sides[i]?.causes ?? []}));
  const [one, other] = sides;
  const isKnown = one !== undefined && other !== undefined && first !== null && second !== null;
  const absent = reasons.flatMap((reason, i) => (reason === null ? [] : [`${names[i]} has no time: ${reason}`]));
  return [
    align([
      [`${titleOfPane(pair[0])} and ${titleOfPane(pair[1])}; times in ms, from navigation`],
      ['', ...names, 'difference'],
      ...causeRows([columnOf(first), columnOf(second), differenceOf(page)]),
      ...(isKnown ? [[whySentence(one, other)]] : []),
      ...absent.map(line => [line]),
    ]),
    objectTable(objects, names),
  ].join('\n');
}

/**
 * Returns a table of the objects that differ most, with their main causes. Below it, lines name the objects that cannot
 * be compared.
 */
function objectTable(objects: readonly ObjectDiff[], names: Compared['names']): string {
  const known = byDifference(objects);
  const shown = known.slice(0, MOST_OBJECTS);
  const rows = shown.map(each => {
    const times = each.sides.map(side => milliseconds(ms(side)));
    return [showName(each.url, LONGEST_URL), ...times, milliseconds(each.moreNs / 1e6)];
  });
  const lines = align([['when each object was complete', ...names, 'difference'], ...rows])
    .trimEnd()
    .split('\n');
  const more = known.length - shown.length;
  return [
    ...lines.map((line, i) => [line, mostlyText(shown[i - 1])].filter(Boolean).join('  ')),
    ...(more > 0 ? [`${more} more objects differ less (--json has all)`] : []),
    ...absenceLines(objects, names),
    '',
  ].join('\n');
}

/** Returns the two causes with most of an object's difference: `window: slow start -300, propagation -120`. */
function mostlyText(object: ObjectDiff | undefined): string {
  const sorted = object?.causes.toSorted((a, b) => Math.abs(b.ns) - Math.abs(a.ns)) ?? [];
  return sorted
    .slice(0, MOST_CAUSES)
    .map(({name, ns}) => `${causeKind(name).label} ${ns < 0 ? '' : '+'}${milliseconds(ns / 1e6)}`)
    .join(', ');
}

/** Returns lines that name the objects that cannot be compared, and say why. */
function absenceLines(objects: readonly ObjectDiff[], names: Compared['names']): readonly string[] {
  const groups = new Map<string, string[]>();
  for (const each of objects) {
    const reason = absenceText(each, names);
    if (reason !== undefined) groups.set(reason, [...(groups.get(reason) ?? []), showName(each.url, LONGEST_URL)]);
  }
  return Array.from(groups, ([reason, urls]) => {
    const more = urls.length - MOST_URLS;
    return `${reason}: ${urls.slice(0, MOST_URLS).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  });
}

/** Returns why an object cannot be compared. Undefined if it can. */
function absenceText({moreNs, sides, isThere}: ObjectDiff, names: Compared['names']): string | undefined {
  if (moreNs !== null) return undefined;
  const missing = names.filter((_, i) => isThere[i] === false);
  if (missing.length > 0) return `not in ${missing.join(' and ')}`;
  return `never complete in ${names.filter((_, i) => sides[i] === null).join(' and ')}`;
}

const MOST_OBJECTS = 20;
const MOST_CAUSES = 2;
const MOST_URLS = 5;
const LONGEST_NAME = 40;
const LONGEST_URL = 40;
