import {expect, test} from 'vitest';
import type {Host, PageAnswer} from '../../app/host/contract.ts';
import {scenarioDocument} from '../../app/run/scenario/document.ts';
import {parseScenario} from '../../app/run/scenario/scenario.ts';
import type {FilePane} from '../../app/run/trace/joinRuns.ts';
import {smallTrace} from '../../app/run/trace/testing/smallTrace.ts';
import {runBefore} from './runBefore.ts';
import {distinguishingWords, hasUnknownLosses, labelsOf, namesOf, predictionsOf, unalikeOf} from './sources.ts';
import {addedPanes, nonRepeatableRun, panesOnShow, sourceOf} from './traceFiles.ts';
import {TraceRuns} from './traceRuns.ts';

function paneOf(file: string, settings: object, hash: string | undefined = 'gallery'): FilePane {
  const parsed = parseScenario({page: 'gallery', panes: [{pipeline: 'tcp'}], ...settings});
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const page = hash === undefined ? undefined : {hash, leftOut: []};
  return {file, scenario: parsed.scenario, page, pane: 0, data: smallTrace()};
}

/** Each page of this host has its name as its hash. */
function fakeHost() {
  const opened: unknown[] = [];
  const openPage = async (name: unknown): Promise<PageAnswer> => {
    opened.push(name);
    if (name === 'gone') return {ok: false, problems: [], message: 'gone is not there'};
    return {
      ok: true,
      page: {name: String(name), hash: String(name), leftOut: [], objects: [], headerBytes: 0, requestBytes: 0},
    };
  };
  return {host: {openPage} as Partial<Host> as Host, opened};
}

async function runOf(...panes: readonly FilePane[]) {
  const traces = new TraceRuns(fakeHost().host);
  const scenario = traces.stand({all: panes, shown: panes});
  const run = await traces.runOf(scenario);
  if (run === undefined) throw new Error('it is computed');
  return run;
}

const [a, b] = [paneOf('a.trace', {seed: 1}), paneOf('b.trace', {seed: 2, path: {live: 'h:1'}})];

test('shown panes have their recorded run, each with its own page, which is opened once', async () => {
  const {host, opened} = fakeHost();
  const traces = new TraceRuns(host);
  const other = paneOf('c.trace', {page: 'gallery-3k'}, 'gallery-3k');
  const scenario = traces.stand({all: [a, b, other], shown: [a, a, other]});
  const run = await traces.runOf(scenario);
  expect(run?.scenario).toBe(scenario);
  expect(run?.sources?.map(({snapshot}) => snapshot.hash)).toEqual(['gallery', 'gallery', 'gallery-3k']);
  expect(run?.traces.map(({data}) => data)).toEqual([a.data, a.data, other.data]);
  expect(opened).toEqual(['gallery', 'gallery-3k']);
  expect(traces.runOf(scenario)).toBe(traces.runOf(scenario));
  expect(traces.runOf(a.scenario)).toBeUndefined();
});

test('a page that has changed or is missing is reported with the file, and is tried again later', async () => {
  const wrong = paneOf('old.trace', {}, 'another'.repeat(5));
  await expect(runOf(wrong)).rejects.toThrow(
    'the page gallery differs from the page of old.trace: its hash is gallery… instead of anotheranoth…',
  );
  const gone = paneOf('b.trace', {page: 'gone'});
  await expect(runOf(a, gone)).rejects.toThrow('the page of b.trace: gone is not there');
  const {host, opened} = fakeHost();
  const traces = new TraceRuns(host);
  const scenario = traces.stand({all: [gone], shown: [gone]});
  await expect(traces.runOf(scenario)).rejects.toThrow();
  await expect(traces.runOf(scenario)).rejects.toThrow();
  expect(opened).toEqual(['gone', 'gone']);
});

test('a file without a hash of its page uses the page that its scenario names', async () => {
  expect((await runOf({...a, page: undefined})).page.hash).toBe('gallery');
});

test('the number of losses of a live pane is unknown', async () => {
  const {metrics} = await runOf(a, b);
  expect(metrics.map(({lost}) => Number.isNaN(lost.down))).toEqual([false, true]);
});

test('panes are named with their files if there are several files', async () => {
  const run = await runOf(a, b);
  expect(labelsOf(run)).toEqual(['a: HTTP/1.1 over TCP, classic', 'b: HTTP/1.1 over TCP, classic']);
  expect(namesOf(run)).toEqual(['HTTP/1.1 over TCP, a', 'HTTP/1.1 over TCP, b']);
  expect(distinguishingWords(run, 1)[0]).toBe('b');
  const one = await runOf(a);
  expect([labelsOf(one), namesOf(one), distinguishingWords(one, 0)]).toEqual([
    ['HTTP/1.1 over TCP, classic'],
    ['HTTP/1.1 over TCP'],
    [],
  ]);
});

test('each pane has the model of its own path', async () => {
  expect(predictionsOf(await runOf(a, b)).map(({ok}) => ok)).toEqual([true, false]);
  // there is no row for the model if no pane has one
  expect(predictionsOf(await runOf(b))).toEqual([]);
});

test('differences between the files’ runs are described, and a computed run has none', async () => {
  const run = await runOf(a, paneOf('b.trace', {seed: 2}));
  expect(unalikeOf(run).notes).toEqual(['seeds differ: 1 (a); 2 (b)']);
  const {sources: _, ...computed} = run;
  expect(unalikeOf(computed).notes).toEqual([]);
});

test('the losses from the server are not known in live loads and in captures that were made at the client', async () => {
  const [atClient, atServer] = ['client', 'server'].map(seenAt =>
    paneOf(`${seenAt}.trace`, {path: {captured: 'pcap', seenAt}}),
  );
  if (atClient === undefined || atServer === undefined) throw new Error('two');
  const run = await runOf(a, b, atClient, atServer);
  expect(run.traces.every(trace => trace.droppedPackets().length > 0)).toBe(true);
  expect(run.traces.map((_, pane) => hasUnknownLosses(run, pane))).toEqual([false, true, true, false]);
});

test('panes are added to the run on screen, and at least one is shown even without room', async () => {
  const {sources: _, ...computed} = await runOf(a);
  const added = addedPanes(undefined, computed, [b]);
  expect(added.all.map(({file}) => file)).toEqual(['on screen', 'b.trace']);
  expect(added.shown).toEqual(added.all);
  const again = addedPanes(added, computed, [b, b, b, b, b]);
  expect(again.all.map(({file}) => file).slice(2)).toEqual(Array.from({length: 5}, () => 'b.trace (2)'));
  expect(again.shown).toHaveLength(6);
  expect(addedPanes(again, computed, [a]).shown.at(-1)?.file).toBe('a.trace');
});

test('an added file gets a name that no other file has', async () => {
  const {sources: _, ...computed} = await runOf(a);
  const namesAfter = (...additions: readonly (readonly string[])[]) => {
    let panes = addedPanes(undefined, computed, [b]);
    for (const files of additions)
      panes = addedPanes(
        panes,
        computed,
        files.map(file => paneOf(file, {})),
      );
    return panes.all.map(({file}) => file).slice(2);
  };
  expect(namesAfter(['b.trace'], ['b.trace'])).toEqual(['b.trace (2)', 'b.trace (3)']);
  // the panes of one file have the same name
  expect(namesAfter(['b.trace', 'b.trace', 'c.trace'])).toEqual(['b.trace (2)', 'b.trace (2)', 'c.trace']);
  // two files with equal names that are added together are numbered when they are read
  expect(namesAfter(['b.trace', 'b.trace (2)'])).toEqual(['b.trace (3)', 'b.trace (2)']);
  expect(new Set(namesAfter(['b.trace', 'b.trace (2)'], ['b.trace', 'b.trace (2)'])).size).toBe(4);
});

test('trace files are not compared with a previous run', async () => {
  const run = await runOf(a);
  const {sources: _, ...rest} = run;
  const computed = {...rest, scenario: a.scenario};
  const compared = (now: typeof run, shown: typeof run) =>
    runBefore({run: now, shown, before: null, isSameStep: false});
  expect([compared(run, computed), compared(computed, run)]).toEqual([null, null]);
  expect(compared(computed, {...computed, scenario: b.scenario})).not.toBeNull();
});

test('the recorded run is returned for trace files and live loads, and not for a computed run', async () => {
  const run = await runOf(a);
  expect(nonRepeatableRun(run, run.scenario)?.sources?.map(({file}) => file)).toEqual(['a.trace']);
  const {sources: _, ...computed} = run;
  expect(nonRepeatableRun(computed, computed.scenario)).toBeUndefined();
  expect(nonRepeatableRun({...computed, scenario: b.scenario}, b.scenario)?.scenario).toEqual(
    scenarioDocument(b.scenario),
  );
  // another run is being loaded
  expect(nonRepeatableRun(run, b.scenario)).toBeUndefined();
  expect(panesOnShow(run)).toEqual([a]);
  expect(sourceOf(await runOf(b, a), 1)).toMatchObject({scenario: a.scenario, pane: 0});
});
