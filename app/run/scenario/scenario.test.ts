import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {Problem} from '../../base/schema.ts';
import {type Pane, pipelines} from '../../pipelines/index.ts';
import {commandLine} from './commandLine.ts';
import {paneRunDocument, scenarioDocument} from './document.ts';
import {linkText, scenarioLink} from './link.ts';
import {DEFAULT_PANES, overPipeline} from './pane.ts';
import {parseScenario, type Scenario, withSeed} from './scenario.ts';
import {anyScenario} from './testing/anyScenario.ts';

describe('a scenario', () => {
  test('may be empty: every setting has a default', () => {
    const {page, path, panes, seed} = valid({});
    expect(page).toEqual({kind: 'named', name: 'gallery'});
    expect(path.rateBps).toEqual({down: 1_000_000, up: 1_000_000});
    expect(panes.map(pane => pane.pipeline)).toEqual(['tcp', 'sctp']);
    expect(seed).toBe(1);
  });

  test('accepts one number for both directions, or one for each', () => {
    const {path} = valid({path: {rateBps: 56_000, rttMs: {down: 600, up: 100}, loss: {down: 0.03}}});
    expect(path.rateBps).toEqual({down: 56_000, up: 56_000});
    expect(path.rttMs).toEqual({down: 600, up: 100});
    expect(path.loss).toEqual({
      down: {model: 'bernoulli', rate: 0.03, applies: 'all'},
      up: {model: 'bernoulli', rate: 0, applies: 'all'},
    });
  });

  test('may have typicalOf, which its document contains only if it is set', () => {
    const typical = valid({seed: 37, typicalOf: 200});
    expect(typical).toMatchObject({seed: 37, typicalOf: 200});
    expect(scenarioDocument(typical)).toMatchObject({seed: 37, typicalOf: 200});
    expect(valid({}).typicalOf).toBeNull();
    expect(scenarioDocument(valid({typicalOf: null}))).not.toHaveProperty('typicalOf');
    expect(problems({typicalOf: 0})[0]?.message).toMatch(/^typicalOf is 0: must be a whole number from 1/);
    expect(withSeed(typical, 37)).toBe(typical);
    expect(withSeed(typical, 5)).toEqual({...typical, seed: 5, typicalOf: null});
  });

  test('accepts burst losses and lists of lost packets, different for each direction', () => {
    const {path} = valid({path: {loss: {down: {p: 0.01, r: 0.5}, up: {packets: [7, 3, 3]}}}});
    expect(path.loss.down).toEqual({model: 'gilbert-elliott', p: 0.01, r: 0.5, h: 0, k: 1, applies: 'all'});
    expect(path.loss.up).toEqual({model: 'list', packets: [3, 7], applies: 'all'});
  });

  test('may state to which packets a loss applies, for each direction or once for both', () => {
    const applies = 'data';
    const losses = [{rate: 0.03}, {p: 0.01, r: 0.5}, {packets: [3]}];
    for (const loss of losses) {
      const [whole] = [valid({path: {loss: {...loss, applies}}})];
      expect(whole.path.loss.down).toMatchObject({...loss, applies});
      expect(whole.path.loss.up).toEqual(whole.path.loss.down);
      expect(scenarioDocument(whole)['path']).toMatchObject({loss: {...loss, applies}});
      // Documents omit the default.
      const all = scenarioDocument(valid({path: {loss: {...loss, applies: 'all'}}}))['path'];
      expect(JSON.stringify(all)).not.toContain('applies');
    }
    const apart = valid({path: {loss: {down: 0.1, up: {p: 0.01, r: 0.5, applies: 'all'}, applies}}}).path.loss;
    expect([apart.down, apart.up]).toMatchObject([{rate: 0.1, applies}, {applies: 'all'}]);
    expect(problems({path: {loss: {rate: 0.1, applies: 'date'}}})[0]?.message).toBe(
      'path.loss.applies is "date": must be "all" or "data"; did you mean "data"?',
    );
    expect(problems({path: {loss: {applies}}})[0]?.message).toMatch(/^path\.loss\.rate is missing/);
    expect(problems({path: {loss: {down: 1.5, applies}}})[0]?.path).toBe('path.loss.down.rate');
  });

  test("may state where a loss happens; the default, `at: 'entry'`, is not in its document", () => {
    for (const loss of [{rate: 0.03}, {p: 0.01, r: 0.5}, {packets: [3]}]) {
      const exit = valid({path: {loss: {...loss, at: 'exit'}}});
      expect(exit.path.loss.down).toMatchObject({...loss, at: 'exit'});
      expect(exit.path.loss.up).toEqual(exit.path.loss.down);
      expect(scenarioDocument(exit)['path']).toMatchObject({loss: {...loss, at: 'exit'}});
      const entry = valid({path: {loss: {...loss, at: 'entry'}}});
      expect(entry).toEqual(valid({path: {loss}}));
      expect(JSON.stringify(entry)).not.toContain('entry');
    }
    const apart = valid({
      path: {loss: {down: 0.1, up: {rate: 0.2, at: 'entry'}, at: 'exit', applies: 'data'}},
    });
    expect(apart.path.loss).toEqual({
      down: {model: 'bernoulli', rate: 0.1, applies: 'data', at: 'exit'},
      up: {model: 'bernoulli', rate: 0.2, applies: 'data'},
    });
    const changes = [
      {atMs: 1, path: {loss: {at: 'exit'}}},
      {atMs: 2, path: {loss: {applies: 'data'}}},
      {atMs: 3, path: {loss: {down: {at: 'entry'}}}},
      {atMs: 4, path: {loss: 0.2}},
    ];
    const places = valid({path: {loss: 0.1}, changes}).changes.map(({path}) => path.loss?.down?.at);
    expect(places).toEqual(['exit', 'exit', undefined, undefined]);
    expect(problems({path: {loss: {rate: 0.1, at: 'exits'}}})[0]?.message).toBe(
      'path.loss.at is "exits": must be "entry" or "exit"; did you mean "exit"?',
    );
    expect(problems({path: {loss: {at: 'exit'}}})[0]?.message).toMatch(/^path\.loss\.rate is missing/);
  });

  test('a change may set some keys of the current loss, and keeps the others', () => {
    const bursts = {p: 0.01, r: 0.5, h: 0.25, k: 0.75};
    const changes = [
      {atMs: 300, path: {loss: {down: {r: 0.125}}}},
      {atMs: 100, path: {loss: {applies: 'data'}}},
      {atMs: 200, path: {loss: {p: 0.5}}},
      {atMs: 400, path: {loss: {p: 1, r: 1}}},
    ];
    const {changes: whole} = valid({path: {loss: bursts}, changes});
    const ofBursts = {model: 'gilbert-elliott', ...bursts, applies: 'data'};
    expect(whole.map(change => change.path.loss)).toEqual([
      {down: ofBursts, up: ofBursts},
      {down: {...ofBursts, p: 0.5}, up: {...ofBursts, p: 0.5}},
      {down: {...ofBursts, p: 0.5, r: 0.125}},
      // A loss with both p and r is not partial, so the other keys get their defaults.
      {
        down: {...ofBursts, p: 1, r: 1, h: 0, k: 1, applies: 'all'},
        up: {...ofBursts, p: 1, r: 1, h: 0, k: 1, applies: 'all'},
      },
    ]);
    expect(valid({path: {loss: 0.1}, changes: [{atMs: 1, path: {loss: {applies: 'data'}}}]}).changes[0]?.path).toEqual(
      expect.objectContaining({
        loss: {down: {model: 'bernoulli', rate: 0.1, applies: 'data'}, up: expect.anything()},
      }),
    );
  });

  test('a change of burst keys is rejected if the current loss has no bursts', () => {
    const bursts = {loss: {p: 0.01, r: 0.5}};
    expect(problems({changes: [{atMs: 1, path: {loss: {r: 0.5}}}]})[0]?.message).toBe(
      'changes[0].path.loss is {"r":0.5}: must be a whole loss with p and r, because the current loss has no bursts',
    );
    const late = [
      {atMs: 9, path: {loss: {r: 0.5}}},
      {atMs: 5, path: {loss: 0}},
    ];
    expect(problems({path: bursts, changes: late})[0]?.path).toBe('changes[0].path.loss');
    expect(problems({path: bursts, changes: [{atMs: 1, path: {loss: {r: 5}}}]})[0]?.message).toBe(
      'changes[0].path.loss.r is 5: must be a number from 0 to 1',
    );
  });

  test('sorts its changes by time', () => {
    const changes = [
      {atMs: 500, path: {rttMs: 80}},
      {atMs: 100, path: {loss: {down: 0.1}}},
    ];
    expect(valid({changes}).changes.map(change => change.atMs)).toEqual([100, 500]);
    expect(valid({changes}).changes[0]?.path.loss).toEqual({
      down: {model: 'bernoulli', rate: 0.1, applies: 'all'},
    });
  });

  test('may name a saved page by its hash, together with its name for people', () => {
    const page = {bundle: '0123456789abcdef'.repeat(4), name: 'https://a.test/é'};
    const scenario = valid({page});
    expect(scenario.page).toEqual({kind: 'bundle', ...page});
    expect(scenarioDocument(scenario)['page']).toEqual(page);
    const link = linkText(scenarioLink(scenarioDocument(scenario)));
    expect(valid(JSON.parse(link.ok ? link.text : ''))).toEqual(scenario);
    expect(commandLine('run', scenario)).toBe(
      `npx interleave run --set 'page={"bundle":"${page.bundle}","name":"https://a.test/é"}'`,
    );
  });

  test("may convert the pictures of any pane; the default, `conversion: 'none'`, is not in its document", () => {
    const panes = pipelines().map(({name}) => ({pipeline: name, conversion: 'avif'}));
    const scenario = valid({panes});
    expect(scenario.panes.map(({conversion}) => conversion)).toEqual(panes.map(() => 'avif'));
    expect(valid(scenarioDocument(scenario))).toEqual(scenario);
    const served = valid({panes: panes.map(pane => ({...pane, conversion: 'none'}))});
    expect(served).toEqual(valid({panes: panes.map(({pipeline}) => ({pipeline}))}));
    expect(Object.keys(served.panes[0] ?? {})).not.toContain('conversion');
    const [tcp = DEFAULT_PANES[0], sctp] = scenario.panes;
    if (tcp === undefined) throw new Error('no pane');
    expect(overPipeline(tcp, 'h3', undefined)).toMatchObject({pipeline: 'h3', conversion: 'avif'});
    expect(overPipeline(tcp, 'sctp', {...sctp, conversion: 'webp'} as Pane).conversion).toBe('avif');
    const [plain = tcp] = served.panes;
    expect(overPipeline(plain, 'sctp', sctp)).not.toHaveProperty('conversion');
  });

  test('gives its `visit` to every pane that has this setting and no value of its own', () => {
    const panes = [{pipeline: 'h3'}, {pipeline: 'h2', visit: 'first'}, {pipeline: 'sctp'}];
    const again = valid({visit: 'again', panes});
    expect(again.panes.map(pane => ('visit' in pane ? pane.visit : null))).toEqual(['again', 'first', null]);
    expect(scenarioDocument(again)).toMatchObject({visit: 'again', panes: [{}, {visit: 'first'}, {}]});
    expect((scenarioDocument(again)['panes'] as object[])[0]).not.toHaveProperty('visit');
    // the default panes, too
    expect(valid({visit: 'again'}).panes[0]).toMatchObject({pipeline: 'tcp', visit: 'again'});
    expect(valid({panes}).visit).toBe('first');
    expect(scenarioDocument(valid({}))).not.toHaveProperty('visit');
    expect(problems({visit: 'twice'})[0]?.message).toMatch(/^visit is "twice"/);
    expect(problems({visit: 'twice'})).toHaveLength(1);
  });

  test('of an older version may have zeroRtt, which visit supersedes', () => {
    const visitOf = (pane: object, visit?: string) => {
      const [h3] = valid({...(visit === undefined ? {} : {visit}), panes: [{pipeline: 'h3', ...pane}]}).panes;
      return h3?.pipeline === 'h3' ? h3.visit : null;
    };
    expect(visitOf({zeroRtt: true})).toBe('again');
    expect(visitOf({zeroRtt: false}, 'again')).toBe('first');
    expect(visitOf({zeroRtt: true, visit: 'first'})).toBe('first');
    expect(problems({panes: [{pipeline: 'h3', zeroRtt: 1}]})).toHaveLength(1);
    expect(problems({panes: [{pipeline: 'h2', zeroRtt: true}]})).toHaveLength(1);
  });

  test('is equal to the parsed form of its own document', () => {
    fc.assert(
      fc.property(anyScenario, document => {
        const scenario = valid(document);
        expect(valid(JSON.parse(JSON.stringify(scenarioDocument(scenario))))).toEqual(scenario);
      }),
      {numRuns: 80},
    );
  });
});

const PIPELINE_WORDS = pipelines()
  .map(({name}) => `"${name}"`)
  .join(' or ');

test('a file may name the program that wrote it, and nothing depends on the name', () => {
  expect(parseScenario({program: 'interleave 0.1.0', seed: 4})).toEqual(parseScenario({seed: 4}));
  expect(parseScenario({program: 7})).toMatchObject({ok: false, problems: [{path: 'program', value: 7}]});
});

describe('a problem', () => {
  test.each([
    [{path: {loss: 1.5}}, 'path.loss', 1.5, 'a number from 0 to 1'],
    [{path: {loss: {down: -0.1}}}, 'path.loss.down', -0.1, 'a number from 0 to 1'],
    [{path: {rateBps: 0}}, 'path.rateBps', 0, 'a whole number from 1 to 1000000000000'],
    [{path: {mtuBytes: 575}}, 'path.mtuBytes', 575, 'a whole number from 576 to 65535'],
    [
      {path: {mtuBytes: 1227}, panes: [{pipeline: 'tcp'}, {pipeline: 'h3'}]},
      'path.mtuBytes',
      1227,
      'at least 1228 with an h3 pane',
    ],
    [{panes: []}, 'panes', [], 'a list of 1 to 6 items'],
    [{panes: [{pipeline: 'sctp', streams: 65}]}, 'panes[0].streams', 65, 'a whole number from 1 to 64'],
    [
      {panes: [{pipeline: 'sctp', streams: 4, firstStreams: 5}]},
      'panes[0].firstStreams',
      5,
      'at most 4, the value of streams',
    ],
    [{panes: [{pipeline: 'sctp', serverStreams: 0}]}, 'panes[0].serverStreams', 0, 'a whole number from 1 to 64'],
    [
      {panes: [{pipeline: 'tcp', pipelining: false, pipelineDepth: 4}]},
      'panes[0].pipelineDepth',
      4,
      'null if pipelining is false, because then only one request may be unanswered',
    ],
    [{panes: [{pipeline: 'x25'}]}, 'panes[0].pipeline', 'x25', PIPELINE_WORDS],
    [{seed: 1.5}, 'seed', 1.5, 'a whole number from 0 to 9007199254740991'],
    [{page: {synthetic: {indexBytes: 300}}}, 'page.synthetic.indexBytes', 300, 'at least 470, to name 10 objects'],
    [{page: ''}, 'page', '', '{"bundle": …, "name": …}'],
    [{page: {bundle: 'ABC', name: 'a'}}, 'page.bundle', 'ABC', '64 digits of 0–9 and a–f'],
    [{page: {bundle: 'A'.repeat(64), name: 'a'}}, 'page.bundle', 'A'.repeat(64), '64 digits'],
    [{page: {bundle: 'a'.repeat(65), name: 'a'}}, 'page.bundle', 'a'.repeat(65), '64 digits'],
    [{page: {bundle: 'a'.repeat(64), name: ''}}, 'page.name', '', 'a text of 1 to 2000 characters'],
    [{page: {bundle: 'a'.repeat(64)}}, 'page.name', undefined, 'required'],
    [
      {panes: [{pipeline: 'udp', conversion: 'jpeg'}]},
      'panes[0].conversion',
      'jpeg',
      '"none" or "progressive" or "webp" or "avif"',
    ],
    [[], '', [], 'an object (a scenario)'],
  ])('of %j names path, value and limit', (document, path, value, limit) => {
    const [problem] = problems(document);
    expect(problem).toMatchObject({path, value});
    expect(problem?.limit).toContain(limit);
    expect(problem?.message).toContain(limit === 'required' ? 'is missing' : limit);
  });

  test('of an unknown key names the nearest known one', () => {
    expect(problems({path: {lose: 0.1}})[0]?.message).toBe('path.lose is not a setting of path; did you mean loss?');
    expect(problems({pane: []})[0]?.message).toContain('did you mean panes?');
  });

  test('is reported for a setting of another pipeline', () => {
    expect(problems({panes: [{pipeline: 'tcp', streams: 4}]})[0]?.path).toBe('panes[0].streams');
  });

  test('is reported for a change of the MTU during the run', () => {
    expect(problems({changes: [{atMs: 1, path: {mtuBytes: 600}}]})[0]?.path).toBe('changes[0].path.mtuBytes');
  });

  test('is reported together with all other problems', () => {
    expect(
      problems({path: {loss: 2, rttMs: -1}, seed: 'x'})
        .map(problem => problem.path)
        .sort(),
    ).toEqual(['path.loss', 'path.rttMs', 'seed']);
  });

  test('is reported for an invalid fuzzed document, and nothing throws', () => {
    const seed = fc.tuple(anyScenario, fc.jsonValue(), fc.nat());
    fc.assert(
      fc.property(seed, ([document, junk, at]) => {
        const fuzzed = replaceOne(document, junk, at);
        const parsed = parseScenario(fuzzed);
        if (!parsed.ok) for (const problem of parsed.problems) expect(problem.message.length).toBeGreaterThan(0);
      }),
      {numRuns: 200},
    );
  });

  test('contains the range of allowed numbers, from which a message in another unit can be written', () => {
    const ranges = [{path: {loss: 2}}, {path: {loss: 'x'}}, {seed: 1.5}].map(each => problems(each)[0]?.range);
    const loss = {least: 0, most: 1, isWhole: false};
    expect(ranges).toEqual([loss, loss, {least: 0, most: Number.MAX_SAFE_INTEGER, isWhole: true}]);
  });

  test('shortens and escapes the names that it shows', () => {
    const [problem] = problems({[`\u001b[31m${'x'.repeat(1e6)}`]: 1});
    expect(problem?.message).toMatch(/^\\u\{1b\}\[31mx+… is not a setting of a scenario; known keys: /);
    expect(problem?.message.length).toBeLessThan(280);
  });

  test('is reported for the first 50 errors only', () => {
    const keys = Object.fromEntries(Array.from({length: 20_000}, (_, i) => [`lose${i}`, i]));
    expect(problems(keys)).toHaveLength(50);
    expect(problems({path: keys, seed: -1})).toHaveLength(50);
    const packets = Array.from({length: 100_000}, () => -1);
    expect(problems({path: {loss: {packets}}})).toHaveLength(50);
    // Parsing fails even if the last errors are not reported.
    const bad = {atMs: 0, path: {loss: 2}};
    expect(problems({changes: Array.from({length: 51}, () => bad)})).toHaveLength(50);
  });

  test('is reported for a value that is nested more deeply than a call stack allows', () => {
    const deep = JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`);
    expect(problems({seed: deep})[0]?.message).toBe(
      `seed is ${'['.repeat(60)}…: must be a whole number from 0 to 9007199254740991`,
    );
    for (const key of ['page', 'path', 'panes', 'changes', 'discovery']) {
      expect(problems({[key]: deep})[0]?.message.length).toBeLessThan(250);
    }
  });

  test('is reported for the key __proto__', () => {
    expect(problems(JSON.parse('{"__proto__": {"seed": 7}}'))[0]?.path).toBe('__proto__');
  });
});

test('the run of a pane depends on the path, and on a shared path also on the other panes', () => {
  const [tcp, sctp, h2] = [{pipeline: 'tcp'}, {pipeline: 'sctp'}, {pipeline: 'h2'}];
  const runs = (panes: readonly object[], path = {}) => paneRunDocument(valid({panes, path}), 0);
  expect(runs([tcp, sctp])).toEqual(runs([tcp, h2]));
  expect(runs([tcp, sctp])).not.toEqual(runs([h2, sctp]));
  expect(runs([tcp, sctp], {rttMs: 50})).not.toEqual(runs([tcp, sctp], {rttMs: 100}));
  const atOnce = {atOnce: true};
  expect(runs([tcp, sctp], atOnce)).not.toEqual(runs([tcp, h2], atOnce));
  const shared = valid({panes: [tcp, tcp], path: atOnce});
  expect(paneRunDocument(shared, 0)).not.toEqual(paneRunDocument(shared, 1));
});

function valid(document: unknown): Scenario {
  const parsed = parseScenario(document);
  if (!parsed.ok) throw new Error(parsed.problems.map(problem => problem.message).join('\n'));
  return parsed.scenario;
}

function problems(document: unknown): readonly Problem[] {
  const parsed = parseScenario(document);
  return parsed.ok ? [] : parsed.problems;
}

/** Returns the document with one value replaced, at any depth. */
function replaceOne(document: unknown, junk: unknown, at: number): unknown {
  let left = at % 40;
  const visit = (value: unknown): unknown => {
    if (left-- === 0) return junk;
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, visit(inner)]));
  };
  return visit(document);
}
