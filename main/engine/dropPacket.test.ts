import {describe, expect, test} from 'vitest';
import {pipelines} from '../../app/pipelines/index.ts';
import {ownPacketEdit, type PacketEdit, packetEdit} from '../../app/run/cause/dropPacket.ts';
import {scenarioDocument} from '../../app/run/scenario/document.ts';
import {setKey} from '../../app/run/scenario/override.ts';
import {parseScenario, type Scenario} from '../../app/run/scenario/scenario.ts';
import {DIRECTION, FATE, PACKET_KIND} from '../../app/run/trace/columns.ts';
import type {Trace} from '../../app/run/trace/trace.ts';
import {traces} from '../workers/testing/runs.ts';

// These tests change which packets a scenario loses, as the window does when a user drops a packet or delivers a lost
// one. Then they run the new scenario with the engine, and check which packets are lost.

const PATH = {rateBps: 1_000_000, rttMs: 100, loss: 0};
/** Six panes: every pipeline that loads from an emulated path. */
const PANES = pipelines().map(({name}) => ({pipeline: name}));

describe('the k-th packet with data', () => {
  const clear = scenarioOf({path: PATH, panes: PANES});
  const before = runOf(clear);

  test.each(PANES.map(({pipeline}, pane) => [pipeline, pane] as const))('over %s is lost in every pane', (_, pane) => {
    const packet = dataPackets(before[pane])[20] ?? -1;
    const {edit, after} = dropped(clear, before, pane, packet);
    expect(edit).toMatchObject({isDrop: true, packet: 'data packet 20 from the server', note: ''});
    expect(edit.value).toEqual({packets: [20], applies: 'data'});
    expect(lostIn(after[pane])).toEqual([packet]);
    for (const trace of after) expect(lostIn(trace)).toEqual([dataPackets(trace)[20]]);
  });

  test('is delivered again by the edit of the lost packet, which gives the first scenario again', () => {
    const packet = dataPackets(before[0])[20] ?? -1;
    const {scenario, after} = dropped(clear, before, 0, packet);
    const back = dropped(scenario, after, 0, packet);
    expect(back.edit).toMatchObject({isDrop: false, packet: 'data packet 20 from the server'});
    expect(back.scenario).toEqual(clear);
  });

  test('is added to a list of packets', () => {
    const [first, second] = [20, 9].map(k => dataPackets(before[0])[k] ?? -1);
    const once = dropped(clear, before, 0, first ?? -1);
    const twice = dropped(once.scenario, once.after, 0, second ?? -1);
    expect(twice.edit.value).toEqual({packets: [9, 20], applies: 'data'});
  });
});

describe('the k-th packet with data, in its own pane only,', () => {
  const clear = scenarioOf({path: PATH, panes: PANES});
  const before = runOf(clear);

  test.each(PANES.map(({pipeline}, pane) => [pipeline, pane] as const))('over %s is lost there alone', (_, pane) => {
    const packet = dataPackets(before[pane])[20] ?? -1;
    const {edit, after} = dropped(clear, before, pane, packet, ownPacketEdit);
    expect(edit).toMatchObject({isDrop: true, sides: 'this', packet: 'data packet 20 from the server', note: ''});
    expect(edit).toMatchObject({key: `panes[${pane}].drop`, value: {down: {packets: [20], applies: 'data'}}});
    for (const [i, trace] of after.entries()) expect(lostIn(trace)).toEqual(i === pane ? [packet] : []);
    // the other panes are the same to the last bit
    for (const [i, trace] of after.entries()) if (i !== pane) expect(trace.data).toEqual(before[i]?.data);
  });

  test('is delivered again by either edit, which gives the first scenario again', () => {
    const packet = dataPackets(before[0])[20] ?? -1;
    const {scenario, after} = dropped(clear, before, 0, packet, ownPacketEdit);
    for (const edit of [packetEdit, ownPacketEdit]) {
      const back = dropped(scenario, after, 0, packet, edit);
      expect(back.edit).toMatchObject({isDrop: false, sides: 'this', value: null});
      expect(back.scenario).toEqual(clear);
    }
  });

  test('is added to the list of the pane, and a list for all panes does not change that list', () => {
    const packets = [20, 9, 12].map(k => dataPackets(before[0])[k] ?? -1);
    const once = dropped(clear, before, 0, packets[0] ?? -1, ownPacketEdit);
    const twice = dropped(once.scenario, once.after, 0, packets[1] ?? -1, ownPacketEdit);
    expect(twice.edit.value).toEqual({down: {packets: [9, 20], applies: 'data'}});
    const every = dropped(twice.scenario, twice.after, 0, packets[2] ?? -1);
    expect(every.edit.value).toEqual({packets: [12], applies: 'data'});
    expect(every.scenario.panes).toEqual(twice.scenario.panes);
    expect(lostIn(every.after[1])).toEqual([dataPackets(every.after[1])[12]]);
  });

  test('cannot be delivered if the path loses it in every pane', () => {
    const lost = scenarioOf({path: {...PATH, loss: {packets: [20]}}, panes: PANES});
    const [trace] = runOf(lost);
    const edit = ownPacketEdit(lost, trace === undefined ? [] : [trace], {pane: 0, packet: lostIn(trace)[0] ?? -1});
    expect(messageOf(edit)).toMatch(/the path loses this packet on every side/);
  });
});

describe('a pane with its own list of dropped packets', () => {
  const random = {down: {rate: 0.05}, up: 0.02};
  const panes = [{pipeline: 'tcp'}, {pipeline: 'h3'}];
  const lossy = (...own: readonly object[]) =>
    scenarioOf({path: {...PATH, loss: random}, panes: panes.map((pane, i) => ({...pane, ...own[i]}))});
  const before = runOf(lossy());

  test('also has the random losses of the path, up to the dropped packet', () => {
    const packet = dataPackets(before[1]).findLast(row => fateOf(before[1], row) === FATE.delivered) ?? -1;
    const {edit, scenario, after} = dropped(lossy(), before, 1, packet, ownPacketEdit);
    expect(edit).toMatchObject({sides: 'this', note: ''});
    expect(scenario.path).toEqual(lossy().path);
    expect(after[0]?.data).toEqual(before[0]?.data);
    expect(lostIn(after[1]).filter(row => row < packet)).toEqual(lostIn(before[1]).filter(row => row < packet));
    expect(lostIn(after[1])).toContain(packet);
  });

  test('does not add its list to that of the path when another packet is dropped in every pane', () => {
    const own = dataPackets(before[0]).find(row => fateOf(before[0], row) === FATE.delivered) ?? -1;
    const once = dropped(lossy(), before, 0, own, ownPacketEdit);
    const packet = dataPackets(once.after[1]).findLast(row => fateOf(once.after[1], row) === FATE.delivered) ?? -1;
    const {edit} = dropped(once.scenario, once.after, 1, packet);
    const number = packetsOf(once.after[0], 'down').indexOf(own);
    expect((edit.value as {readonly packets: readonly number[]}).packets).not.toContain(number);
    expect(edit.note).toMatch(/become a list/);
  });

  test('loses the listed packet also behind a short queue with loss after the link', () => {
    const short = scenarioOf({
      path: {...PATH, loss: {packets: [], at: 'exit'}, queuePackets: 4},
      panes: [{pipeline: 'tcp'}, {pipeline: 'sctp'}],
    });
    const traces = runOf(short);
    const data = dataPackets(traces[0]);
    const full = data.findIndex(row => fateOf(traces[0], row) === FATE.queueFull);
    const packet = data.slice(full).find(row => fateOf(traces[0], row) === FATE.delivered) ?? -1;
    const {edit, after} = dropped(short, traces, 0, packet, ownPacketEdit);
    expect(edit.value).toEqual({down: {packets: [full], applies: 'data'}});
    expect(lostIn(after[0])).toEqual([packet]);
  });

  test('cannot drop a packet without data if its list counts packets with data', () => {
    const scenario = lossy({drop: {up: {packets: [0], applies: 'data'}}});
    const traces = runOf(scenario);
    const packet = packetsOf(traces[0], 'up').find(row => kindOf(traces[0], row) !== PACKET_KIND.data) ?? -1;
    expect(messageOf(ownPacketEdit(scenario, traces, {pane: 0, packet}))).toMatch(/this packet has no data/);
  });

  test('drops at most 1000 packets', () => {
    const numbers = Array.from({length: 1000}, (_, i) => 1000 + i);
    const scenario = lossy({drop: {down: {packets: numbers, applies: 'data'}}});
    const packet = dataPackets(before[0]).find(row => fateOf(before[0], row) === FATE.delivered) ?? -1;
    expect(messageOf(ownPacketEdit(scenario, before, {pane: 0, packet}))).toMatch(
      /drops 1000 packets: a list can have at most 1000/,
    );
  });
});

describe('the note about other sides', () => {
  const panes = [{pipeline: 'tcp'}, {pipeline: 'h3'}];

  test('says in which pane the packet with this number has no data, if all packets are counted', () => {
    const all = scenarioOf({path: {...PATH, loss: {packets: [500]}}, panes});
    const before = runOf(all);
    const [mine = [], theirs = []] = [before[0], before[1]].map(trace => packetsOf(trace, 'up'));
    const kindAt = (pane: number, row: number | undefined) => kindOf(before[pane], row ?? -1);
    const acknowledgement = theirs.findIndex(
      (row, k) => kindAt(1, row) === PACKET_KIND.data && kindAt(0, mine[k]) === PACKET_KIND.acknowledgement,
    );
    const edit = packetEdit(all, before, {pane: 1, packet: theirs[acknowledgement] ?? -1});
    expect(edit).toMatchObject({
      note: `This path also counts packets without data: packet ${acknowledgement} of HTTP/1.1 over TCP has no data.`,
    });
  });

  test('says which pane sends no packet with this number', () => {
    const clear = scenarioOf({path: PATH, panes});
    const before = runOf(clear);
    const counts = before.map(trace => dataPackets(trace).length);
    const [most, fewest] = (counts[0] ?? 0) > (counts[1] ?? 0) ? [0, 1] : [1, 0];
    const packet = dataPackets(before[most]).at(-1) ?? -1;
    const name = ['HTTP/1.1 over TCP', 'HTTP/3'][fewest];
    expect(packetEdit(clear, before, {pane: most, packet})).toMatchObject({
      note: `${name} sends no packet with this number.`,
    });
  });
});

describe('a packet without data', () => {
  const panes = [{pipeline: 'tcp'}, {pipeline: 'sctp'}];

  test('is counted among all packets if nothing is lost', () => {
    const clear = scenarioOf({path: PATH, panes});
    const before = runOf(clear);
    const packet = packetsOf(before[1], 'up').find(row => kindOf(before[1], row) === PACKET_KIND.acknowledgement) ?? -1;
    const number = packetsOf(before[1], 'up').indexOf(packet);
    const {edit, after} = dropped(clear, before, 1, packet);
    expect(edit).toMatchObject({packet: `packet ${number} from the browser`, key: 'path.loss.up'});
    expect(edit.value).toEqual({packets: [number]});
    expect(lostIn(after[1])).toEqual([packet]);
  });

  test('cannot be lost if the loss applies to data', () => {
    const data = scenarioOf({path: {...PATH, loss: {packets: [3], applies: 'data'}}, panes});
    const before = runOf(data);
    const packet = packetsOf(before[0], 'up').find(row => kindOf(before[0], row) !== PACKET_KIND.data) ?? -1;
    expect(messageOf(packetEdit(data, before, {pane: 0, packet}))).toMatch(/only packets with data/);
  });
});

describe.each([
  ['for all packets', {rate: 0.05}],
  ['for data', {p: 0.02, r: 0.3, applies: 'data'}],
  ['after the link, behind a short queue', {rate: 0.03, applies: 'data', at: 'exit'}],
])('random losses %s', (_, loss) => {
  const random = scenarioOf({
    path: {...PATH, loss: {down: loss, up: 0}, queuePackets: 12},
    panes: [{pipeline: 'tcp'}, {pipeline: 'h3'}],
  });
  const before = runOf(random);

  test('stay the same up to the dropped packet, and become a list', () => {
    const packet = dataPackets(before[1]).findLast(row => fateOf(before[1], row) === FATE.delivered) ?? -1;
    const {edit, after} = dropped(random, before, 1, packet);
    expect(edit.note).toMatch(/become a list/);
    const [was, is] = [lostIn(before[1]), lostIn(after[1])].map(rows => rows.filter(row => row < packet));
    expect(was?.length).toBeGreaterThan(1);
    expect(is).toEqual(was);
    expect(lostIn(after[1])).toContain(packet);
  });

  test('can be undone one by one', () => {
    const [packet = -1] = lostIn(before[0]);
    const {edit, after} = dropped(random, before, 0, packet);
    expect(edit.isDrop).toBe(false);
    expect(fateOf(after[0], packet)).toBe(FATE.delivered);
  });
});

test('behind the link, packets that the queue dropped are not counted', () => {
  const short = scenarioOf({
    path: {...PATH, loss: {packets: [], applies: 'data', at: 'exit'}, queuePackets: 4},
    panes: [{pipeline: 'tcp'}],
  });
  const before = runOf(short);
  const data = dataPackets(before[0]);
  const full = data.findIndex(row => fateOf(before[0], row) === FATE.queueFull);
  const packet = data.slice(full).find(row => fateOf(before[0], row) === FATE.delivered) ?? -1;
  expect(full).toBeGreaterThanOrEqual(0);
  const {edit, after} = dropped(short, before, 0, packet);
  expect(edit.value).toEqual({packets: [full], applies: 'data', at: 'exit'});
  expect(lostIn(after[0])).toEqual([packet]);
});

describe('a packet is not dropped', () => {
  const panes = [{pipeline: 'tcp'}];

  test('if the queue dropped it', () => {
    const full = scenarioOf({path: {...PATH, queuePackets: 3}, panes});
    const before = runOf(full);
    const packet = before[0]?.droppedPackets()[0] ?? -1;
    expect(fateOf(before[0], packet)).toBe(FATE.queueFull);
    expect(messageOf(packetEdit(full, before, {pane: 0, packet}))).toMatch(/full queue/);
  });

  test('if the loss of its direction changes during the run', () => {
    const changing = scenarioOf({path: PATH, panes, changes: [{atMs: 500, path: {loss: {down: 0.01}}}]});
    const before = runOf(changing);
    const [down = -1, up = -1] = (['down', 'up'] as const).map(way => packetsOf(before[0], way)[0] ?? -1);
    expect(messageOf(packetEdit(changing, before, {pane: 0, packet: down}))).toMatch(/changes during the run/);
    expect(packetEdit(changing, before, {pane: 0, packet: up}).ok).toBe(true);
  });

  test('if the load is live, or if there is no such packet', () => {
    const before = runOf(scenarioOf({path: PATH, panes}));
    const live = scenarioOf({path: {live: '127.0.0.1:8001'}, panes});
    expect(messageOf(packetEdit(live, before, {pane: 0, packet: 0}))).toMatch(/live load/);
    const clear = scenarioOf({path: PATH, panes});
    for (const wrong of [
      {pane: 1, packet: 0},
      {pane: 0, packet: 1e6},
    ])
      expect(messageOf(packetEdit(clear, before, wrong))).toMatch(/no such packet/);
  });
});

function scenarioOf(document: unknown): Scenario {
  const parsed = parseScenario(document);
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return parsed.scenario;
}

function runOf(scenario: Scenario): readonly Trace[] {
  return traces(scenarioDocument(scenario));
}

/** Applies the edit of a packet, and runs the new scenario. */
function dropped(
  scenario: Scenario,
  before: readonly Trace[],
  pane: number,
  packet: number,
  editOf: typeof packetEdit = packetEdit,
) {
  const edit = editOf(scenario, before, {pane, packet});
  if (!edit.ok) throw new Error(edit.message);
  const edited = scenarioOf(setKey(scenarioDocument(scenario), edit.key, edit.value));
  return {edit, scenario: edited, after: runOf(edited)};
}

function messageOf(edit: PacketEdit): string {
  return edit.ok ? 'it can be dropped' : edit.message;
}

/** The rows of a direction's packets. */
function packetsOf(trace: Trace | undefined, way: keyof typeof DIRECTION): readonly number[] {
  const {direction = new Uint8Array()} = trace?.data.packets ?? {};
  return [...direction.keys()].filter(row => direction[row] === DIRECTION[way]);
}

/** The rows of the server's packets with data. */
function dataPackets(trace: Trace | undefined): readonly number[] {
  return packetsOf(trace, 'down').filter(row => kindOf(trace, row) === PACKET_KIND.data);
}

/** The rows of the server's or browser's packets that the loss model dropped. */
function lostIn(trace: Trace | undefined): readonly number[] {
  return (trace?.droppedPackets() ?? []).filter(row => fateOf(trace, row) === FATE.lost);
}

function kindOf(trace: Trace | undefined, row: number): number | undefined {
  return trace?.data.packets.kind[row];
}

function fateOf(trace: Trace | undefined, row: number): number | undefined {
  return trace?.data.packets.fate[row];
}
