import {setImmediate} from 'node:timers/promises';
import {expect, test} from 'vitest';
import type {Loss} from '../../../app/run/scenario/lossModel.ts';
import {DEFAULT_PATH} from '../../../app/run/scenario/path.ts';
import type {Traffic} from '../../../app/run/scenario/traffic.ts';
import {EmulatedPath} from './emulatedPath.ts';

/** 4 Mbit/s down in packets of 500 bytes: one in a millisecond. */
const CALL: Traffic = {kind: 'cbr', direction: 'down', rateBps: 4e6, packetBytes: 500, startMs: 0, endMs: null};
const FAST = {...DEFAULT_PATH, rateBps: {down: 100e6, up: 100e6}, rttMs: {down: 20, up: 20}};
/** A packet that nobody waits for. */
const PACKET = {direction: 'up', bytes: 100, hasData: true, flow: 0, ecn: 0, deliver: () => undefined} as const;
const CHANGE = {isHandover: false, isNewTraffic: false, seed: undefined};

test('a packet that is lost at the link’s exit is not delivered, but later packets are', async () => {
  const second: Loss = {model: 'list', packets: [1], applies: 'all', at: 'exit'};
  let nowNs = 0;
  const path = new EmulatedPath({...DEFAULT_PATH, loss: {down: second, up: second}}, 1, () => nowNs);
  const delivered: number[] = [];
  for (const packet of [0, 1, 2]) {
    path.enter({direction: 'down', bytes: 1500, hasData: true, flow: 0, ecn: 0, deliver: () => delivered.push(packet)});
  }
  nowNs = 1e9;
  for (let turn = 0; turn < 5; turn++) await setImmediate();
  expect(delivered).toEqual([0, 2]);
  expect(path.state.counts.down).toMatchObject({passed: 2, lost: 1});
  path.close();
});

test('a packet that the path copies is delivered twice, and marks are passed on', async () => {
  let nowNs = 0;
  const duplicate = {down: {rate: 1, correlation: 0}};
  const queue = {down: {kind: 'codel', targetMs: 1, intervalMs: 1}} as const;
  const path = new EmulatedPath({...DEFAULT_PATH, duplicate, queue}, 1, () => nowNs);
  const delivered: string[] = [];
  for (const packet of [0, 1, 2, 3, 4]) {
    const deliver = (isMarked: boolean) => delivered.push(`${packet}${isMarked ? ' CE' : ''}`);
    path.enter({direction: 'down', bytes: 1500, hasData: true, flow: 0, ecn: 2, deliver});
  }
  nowNs = 1e9;
  for (let turn = 0; turn < 5; turn++) await setImmediate();
  expect(delivered.length).toBe(10);
  for (const packet of [0, 1, 2, 3, 4]) {
    const own = delivered.filter(each => each.startsWith(`${packet}`));
    expect(own[0]).toBe(own[1]);
  }
  expect(delivered.filter(each => each.endsWith('CE')).length).toBe(2 * path.state.counts.down.marked);
  expect(path.state.counts.down.marked).toBeGreaterThan(0);
  path.close();
});

test('other traffic starts with the first packet, but traffic with a negative start starts earlier', async () => {
  let nowNs = 5e9;
  const uploads: Traffic = {kind: 'tcp', congestion: 'cubic', flows: 3, direction: 'up', startMs: 0, endMs: null};
  const settings = {...FAST, traffic: [CALL, uploads, {...CALL, startMs: -1000}]};
  const path = new EmulatedPath(settings, 1, () => nowNs);
  const passed = () => path.state.traffic.map(counts => counts.passed);
  const [none, noUpload, before = 0] = passed();
  expect([none, noUpload]).toEqual([0, 0]);
  // one packet in a millisecond, for up to 1000 ms; the seed delays the start by up to 100 ms
  expect(before).toBeGreaterThan(880);
  expect(before).toBeLessThan(1000);
  nowNs = 9e9;
  expect(passed()).toEqual([0, 0, before]);
  path.enter(PACKET);
  nowNs = 10e9;
  for (let turn = 0; turn < 5; turn++) await setImmediate();
  const [calls = 0, ofUploads = 0] = passed();
  expect(calls).toBeGreaterThan(880);
  expect(calls).toBeLessThan(1000);
  // in slow start, three connections send far more than 100 packets in a second
  expect(ofUploads).toBeGreaterThan(100);
  expect(path.state.traffic[0]?.passedBytes).toBe(500 * calls);
  path.close();
});

test('new traffic replaces the old; a hand-over ends traffic and loses packets on the way to the client', async () => {
  let nowNs = 0;
  const path = new EmulatedPath({...FAST, traffic: [CALL]}, 1, () => nowNs);
  const delivered: string[] = [];
  const enter = (direction: 'down' | 'up', name: string) =>
    path.enter({...PACKET, direction, deliver: () => delivered.push(name)});
  enter('up', 'first');
  nowNs = 1e9;
  enter('up', 'second');
  path.change({...CHANGE, isNewTraffic: true, path: {...FAST, traffic: [{...CALL, startMs: 500}]}});
  expect(path.state.traffic).toEqual([{passed: 0, passedBytes: 0, dropped: 0}]);
  nowNs = 2e9;
  enter('down', 'lost');
  const {passed = 0} = path.state.traffic[0] ?? {};
  expect(passed).toBeGreaterThan(380);
  expect(passed).toBeLessThan(500);
  nowNs += 1e6;
  path.change({...CHANGE, isHandover: true, path: FAST});
  path.loseStray('up');
  nowNs = 3e9;
  for (let turn = 0; turn < 5; turn++) await setImmediate();
  expect(delivered).toEqual(['first', 'second']);
  const {counts, traffic, handOvers} = path.state;
  expect([counts.down.handedOver, counts.up.handedOver, traffic, handOvers]).toEqual([1, 1, [], 1]);
  path.close();
});
