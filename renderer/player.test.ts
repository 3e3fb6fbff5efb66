import {expect, test} from 'vitest';
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
