import {expect, test, vi} from 'vitest';
import {Player} from './player.ts';

test('the run sets the speed until the user chooses one, and again after `auto` is chosen', () => {
  const player = new Player();
  player.setEnd(0.4e9);
  expect(player.state).toMatchObject({speed: 1 / 25, chosenSpeed: 'auto'});
  player.setEnd(25e9);
  expect(player.state.speed).toBe(1);
  player.setSpeed(2);
  player.setEnd(0.4e9);
  expect(player.state).toMatchObject({speed: 2, chosenSpeed: 2});
  player.setSpeed('auto');
  expect(player.state.speed).toBe(1 / 25);
});

test('a growing run plays in real time, unless the user chose a speed', () => {
  const player = new Player();
  player.setGrowingEnd(0.4e9);
  expect(player.state.speed).toBe(1);
  player.setSpeed(2);
  player.setGrowingEnd(0.5e9);
  expect(player.state.speed).toBe(2);
  player.setSpeed('auto');
  expect(player.state.speed).toBe(1);
  player.setEnd(0.4e9);
  expect(player.state.speed).toBe(1 / 25);
});

test('the chosen speed is limited', () => {
  const player = new Player();
  for (const [wanted, got] of [
    [0, 0.01],
    [1000, 20],
  ] as const) {
    player.setSpeed(wanted);
    expect(player.state.speed).toBe(got);
  }
});

test('a frame whose time stamp is from before play() does not move t back', async () => {
  const waiting: FrameRequestCallback[] = [];
  vi.stubGlobal('performance', {now: () => 1000});
  vi.stubGlobal('requestAnimationFrame', (frame: FrameRequestCallback) => waiting.push(frame));
  const player = new Player();
  player.setEnd(10e9);
  player.setSpeed(1);
  await player.seek(5e9);
  player.play();
  waiting.shift()?.(900);
  expect(player.tNs).toBe(5e9);
  waiting.shift()?.(1100);
  expect(player.tNs).toBe(5.2e9);
});

test('playing stops at the end of a step, and continues from there to the end of the run', async () => {
  let nowMs = 0;
  const waiting: FrameRequestCallback[] = [];
  vi.stubGlobal('performance', {now: () => nowMs});
  vi.stubGlobal('requestAnimationFrame', (frame: FrameRequestCallback) => waiting.push(frame));
  vi.stubGlobal('cancelAnimationFrame', () => undefined);
  const playOn = () => {
    for (let frame = waiting.shift(); frame !== undefined; frame = waiting.shift()) {
      nowMs += 300;
      frame(nowMs);
    }
  };
  const player = new Player();
  player.setEnd(10e9);
  player.setSpeed(1);
  player.setStop(4e9);
  player.play();
  playOn();
  expect([player.tNs, player.state.isPlaying]).toEqual([4e9, false]);
  player.play();
  playOn();
  expect(player.tNs).toBe(10e9);
  // playing also stops at the time that is passed to `play`
  await player.seek(1e9);
  player.play(3e9);
  playOn();
  expect(player.tNs).toBe(3e9);
  // a stop that has passed is ignored
  player.setStop(null);
  player.play(2e9);
  playOn();
  expect(player.tNs).toBe(10e9);
  // a stop after the end is ignored
  player.setStop(40e9);
  player.play();
  playOn();
  expect([player.tNs, player.state.isPlaying]).toEqual([10e9, false]);
  // time stands still at each of these times, and goes on from there
  player.setFreezes([2e9, 5e9]);
  await player.seek(1e9);
  const stops = Array.from({length: 3}, () => {
    player.play();
    playOn();
    return player.tNs;
  });
  expect(stops).toEqual([2e9, 5e9, 10e9]);
  vi.unstubAllGlobals();
});
