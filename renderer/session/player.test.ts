import {expect, test, vi} from 'vitest';
import {Player} from './player.ts';

test('a run sets the speed until somebody chooses one, and again when it is given back', () => {
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

test('a run that still comes has the clock’s speed, unless somebody chose one', () => {
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

test('a hand’s speed has limits', () => {
  const player = new Player();
  for (const [wanted, got] of [
    [0, 0.01],
    [1000, 20],
  ] as const) {
    player.setSpeed(wanted);
    expect(player.state.speed).toBe(got);
  }
});

test('a frame whose time is from before play() does not turn t back', async () => {
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

test('playing stops at a step’s end, and goes on from there to the run’s', async () => {
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
  // and where it is told to
  await player.seek(1e9);
  player.play(3e9);
  playOn();
  expect(player.tNs).toBe(3e9);
  // which is none once it is past
  player.setStop(null);
  player.play(2e9);
  playOn();
  expect(player.tNs).toBe(10e9);
  // a stop after the end is none
  player.setStop(40e9);
  player.play();
  playOn();
  expect([player.tNs, player.state.isPlaying]).toEqual([10e9, false]);
  vi.unstubAllGlobals();
});
