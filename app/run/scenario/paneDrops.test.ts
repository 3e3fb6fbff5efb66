import {describe, expect, test} from 'vitest';
import {describeRunPath} from './describe.ts';
import {scenarioDocument} from './document.ts';
import {applyOverride} from './override.ts';
import {overPipeline} from './pane.ts';
import {ownDropsProblem, ownDropsText} from './paneDrops.ts';
import {parseScenario, type Scenario} from './scenario.ts';

const SCTP = {pipeline: 'sctp'};

function parse(drop: unknown) {
  return parseScenario({panes: [{pipeline: 'tcp', drop}, SCTP]});
}

function valid(drop: unknown): Scenario {
  const parsed = parse(drop);
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return parsed.scenario;
}

function problem(drop: unknown): string {
  const parsed = parse(drop);
  return parsed.ok ? '' : (parsed.problems[0]?.message ?? '');
}

describe('the packets that a pane drops', () => {
  test('are lists for one direction or both, which documents contain in order and without defaults', () => {
    const apart = {down: {packets: [3, 9], applies: 'data'}, up: {packets: [4]}};
    const given = {down: {packets: [9, 3], applies: 'data'}, up: {packets: [4], applies: 'all'}};
    expect(valid(given).panes[0]?.drop).toEqual(apart);
    expect(valid({up: {packets: [4]}}).panes[0]?.drop).toEqual({up: {packets: [4]}});
    expect(valid({packets: [4]}).panes[0]?.drop).toEqual({down: {packets: [4]}, up: {packets: [4]}});
    const document = scenarioDocument(valid(given));
    expect(document['panes']).toMatchObject([{drop: apart}, {}]);
    expect(parseScenario(document)).toEqual(parse(given));
  });

  test('are none for null, which documents do not contain', () => {
    expect(valid(null)).toEqual(parseScenarioOf({panes: [{pipeline: 'tcp'}, SCTP]}));
    expect(JSON.stringify(scenarioDocument(valid(null)))).not.toContain('drop');
  });

  test('can be set and removed by --set', () => {
    const set = (document: unknown, ...edits: readonly string[]) =>
      edits.reduce((before, edit) => applyOverride(before, edit), document as Parameters<typeof applyOverride>[0]);
    const panes = {panes: [{pipeline: 'tcp'}, SCTP]};
    expect(set(panes, 'panes[1].drop.down.packets=[30]', 'panes[1].drop.applies=data')).toEqual({
      panes: [{pipeline: 'tcp'}, {...SCTP, drop: {down: {packets: [30], applies: 'data'}}}],
    });
    expect(parseScenarioOf(set(panes, 'panes[1].drop={"packets": [3]}', 'panes[1].drop=null'))).toEqual(
      parseScenarioOf(panes),
    );
  });

  test('stay if the pipeline of the pane changes', () => {
    const [pane] = valid({down: {packets: [3]}}).panes;
    expect(pane && overPipeline(pane, 'h3', undefined)).toMatchObject({pipeline: 'h3', drop: {down: {packets: [3]}}});
  });

  test.each([
    [{packets: []}, 'panes[0].drop.packets is []: must be a list of 1 to 1000 items'],
    [
      {down: {packets: Array(10_000).fill(1)}},
      'panes[0].drop.down.packets is [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1…: must be a list of 1 to 1000 items',
    ],
    [{packets: [5, 7, 5]}, 'panes[0].drop.packets[2] is 5: must be a packet that the list does not have yet'],
    [{packets: [-1]}, 'panes[0].drop.packets[0] is -1: must be a whole number from 0 to 499999'],
    [{packets: [0.5]}, 'panes[0].drop.packets[0] is 0.5: must be a whole number from 0 to 499999'],
    [
      {up: {packets: [1e15]}},
      'panes[0].drop.up.packets[0] is 1000000000000000: must be a whole number from 0 to 499999',
    ],
    [{packets: ['3']}, 'panes[0].drop.packets[0] is "3": must be a whole number from 0 to 499999'],
    [{applies: 'data'}, 'panes[0].drop.packets is missing (dropped packets)'],
    [{packets: [3], applies: 'date'}, 'panes[0].drop.applies is "date": must be "all" or "data"; did you mean "data"?'],
    [{packets: [3], at: 'exit'}, 'panes[0].drop.at is not a setting of dropped packets; known keys: packets, applies'],
    [{left: [3]}, 'panes[0].drop.left is not a setting of dropped packets; known keys: packets, applies'],
    [
      3,
      'panes[0].drop is 3: must be {"packets": […]}, {"down", "up"} of these, or null; each object may also have "applies": "all" or "data"',
    ],
    [
      [3],
      'panes[0].drop is [3]: must be {"packets": […]}, {"down", "up"} of these, or null; each object may also have "applies": "all" or "data"',
    ],
  ])('%j is refused', (drop, message) => {
    expect(problem(drop)).toBe(message);
  });

  test('of a pane that the scenario does not have are refused', () => {
    expect(() => applyOverride({panes: [{pipeline: 'tcp'}]}, 'panes[4].drop={"packets": [3]}')).toThrow(
      /there is no item 4: the list has 1 item/,
    );
  });
});

test('the packets that single panes drop are told in words', () => {
  const text = (drop: unknown) => ownDropsText(valid(drop).panes, ['TCP', 'SCTP']);
  expect(text(null)).toBe('');
  expect(text({down: {packets: [30], applies: 'data'}})).toBe('TCP also loses data packet 30');
  expect(text({packets: [9, 3]})).toBe(
    'TCP also loses packets 3 and 9 from the server and packets 3 and 9 from the browser',
  );
  expect(text({up: {packets: [1, 2, 3]}})).toBe('TCP also loses 3 packets from the browser');
});

test('the text of a path does not promise that no other packet is lost if a pane drops packets', () => {
  const drop = {down: {packets: [30]}};
  const text = (path: object, own: unknown = drop) => {
    const scenario = parseScenarioOf({
      path: {rateBps: 1e6, rttMs: 100, ...path},
      panes: [{pipeline: 'tcp', drop: own}],
    });
    return describeRunPath(scenario, scenario.path).replace('1 Mbit/s, RTT 100 ms, ', '');
  };
  expect(text({})).toBe('no loss except packets that only some panes lose');
  expect(text({loss: 0.03})).toBe('3 % of packets lost in both directions, and packets that only some panes lose');
  const list = {loss: {down: {packets: [3]}, up: 0}};
  expect(text(list)).toBe('exactly packet 3 lost on the way down, and packets that only some panes lose');
  expect(text(list, null)).toBe('exactly packet 3 lost on the way down, no other');
});

test('packets that a pane drops are a problem where settings are compared', () => {
  expect(ownDropsProblem(valid(null))).toBeUndefined();
  expect(ownDropsProblem(valid({down: {packets: [3]}}))).toBe(
    'panes[0].drop is {"down":{"packets":[3]}}: must be absent here, because all settings are compared with the same losses',
  );
});

function parseScenarioOf(document: unknown): Scenario {
  const parsed = parseScenario(document);
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return parsed.scenario;
}
