import {setImmediate} from 'node:timers/promises';
import {expect, test} from 'vitest';
import type {Loss} from '../../../app/run/scenario/lossModel.ts';
import {DEFAULT_PATH} from '../../../app/run/scenario/path.ts';
import {EmulatedPath} from './emulatedPath.ts';

test('a packet that is lost at the link’s exit is not delivered, but later packets are', async () => {
  const second: Loss = {model: 'list', packets: [1], applies: 'all', at: 'exit'};
  let nowNs = 0;
  const path = new EmulatedPath({...DEFAULT_PATH, loss: {down: second, up: second}}, 1, () => nowNs);
  const delivered: number[] = [];
  for (const packet of [0, 1, 2]) {
    path.enter({direction: 'down', bytes: 1500, hasData: true, deliver: () => delivered.push(packet)});
  }
  nowNs = 1e9;
  for (let turn = 0; turn < 5; turn++) await setImmediate();
  expect(delivered).toEqual([0, 2]);
  expect(path.counts.down).toMatchObject({passed: 2, lost: 1});
  path.close();
});
