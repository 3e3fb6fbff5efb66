import {expect, test} from 'vitest';
import {Lifetime} from './lifetime.ts';

const never = new Promise<never>(() => undefined);

test('a call within the lifetime resolves with its answer, or rejects with its error', async () => {
  const life = new Lifetime();
  expect(await life.within(Promise.resolve(7))).toBe(7);
  await expect(life.within(Promise.reject(new Error('no')))).rejects.toThrow('no');
});

test('pending and later calls are rejected when the lifetime ends', async () => {
  const life = new Lifetime();
  const underWay = [life.within(never), life.within(never)];
  life.end('it was killed');
  life.end('it was closed');
  for (const work of [...underWay, life.within(never)]) await expect(work).rejects.toThrow('it was killed');
});

test('a call that fails after the end causes no unhandled rejection', async () => {
  const life = new Lifetime();
  const {promise, reject} = deferred();
  const work = life.within(promise);
  life.end('it was killed');
  reject(new Error('late'));
  await expect(work).rejects.toThrow('it was killed');
});

function deferred() {
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<never>((_, fail) => {
    reject = fail;
  });
  return {promise, reject};
}
