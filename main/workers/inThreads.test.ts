import {describe, expect, test, vi} from 'vitest';
import {inThreads, type Pieces} from './inThreads.ts';

/**
 * A worker that answers a piece with ten times its value. The answer to 3 takes some time. The answer to -1 waits until
 * a thousand other pieces are done. Piece 5 ends its thread the first `deaths` times that it is sent. Piece 7 does the
 * same.
 */
const WORKER = `
  import {parentPort, workerData} from 'node:worker_threads';
  const shared = new Int32Array(workerData.shared);
  parentPort.on('message', piece => {
    if ((piece === 5 || piece === 7) && Atomics.sub(shared, (piece - 5) / 2, 1) > 0) process.exit(9);
    if (piece !== -1) Atomics.add(shared, 2, 1);
    const answer = () => {
      if (piece === -1 && Atomics.load(shared, 2) < 1000) setTimeout(answer, 100);
      else parentPort.postMessage(piece * 10);
    };
    if (piece === 3 || piece === -1) setTimeout(answer, 100);
    else answer();
  });
`;

describe('pieces of work', () => {
  test('have their answers reported in order', async () => {
    expect(await answers({threads: 3})).toEqual(TENFOLD);
    expect(await answers({threads: 1})).toEqual(TENFOLD);
  });

  test('during which a thread died are computed once more', async () => {
    expect(await answers({threads: 2}, 1)).toEqual(TENFOLD);
    await expect(answers({threads: 2}, 2)).rejects.toThrow('a worker ended with exit code 9');
  });

  test('end once, even if several threads fail at the same time', async () => {
    const worker = new URL('data:text/javascript,throw new Error("why")');
    const uncaught = vi.fn();
    process.on('uncaughtException', uncaught);
    for (let time = 0; time < 5; time++) {
      await expect(answers({worker, threads: 8})).rejects.toThrow('why');
    }
    process.off('uncaughtException', uncaught);
    expect(uncaught).not.toHaveBeenCalled();
  });

  test('fail with the error of onAnswer', async () => {
    const onAnswer = () => {
      throw new Error('the disk is full');
    };
    await expect(answers({onAnswer})).rejects.toThrow('the disk is full');
  });

  test('fail with the reason of an abort', async () => {
    const abort = new AbortController();
    const onAnswer = () => abort.abort(new Error('enough'));
    await expect(answers({onAnswer, signal: abort.signal})).rejects.toThrow('enough');
    await expect(answers({signal: AbortSignal.abort(new Error('before'))})).rejects.toThrow('before');
  });

  test('wait if too many answers wait for a slow one', async () => {
    let asked = 0;
    const next = () => (asked < 1200 ? (asked++ === 0 ? -1 : 1) : undefined);
    const most: number[] = [];
    await answers({next, threads: 2, onAnswer: () => most.push(asked)});
    expect(most[0]).toBeLessThan(1010);
    expect(most).toHaveLength(1200);
  });

  test('end at once if there is no piece', async () => {
    expect(await answers({next: () => undefined})).toEqual([]);
  });
});

const TENFOLD = Array.from({length: 12}, (_, i) => i * 10);

async function answers(options: Partial<Pieces<number, number>>, deaths = 0): Promise<readonly number[]> {
  const told: number[] = [];
  const left = new Int32Array(new SharedArrayBuffer(12)).fill(deaths, 0, 2);
  let piece = 0;
  await inThreads<number, number>({
    next: () => (piece < 12 ? piece++ : undefined),
    onAnswer: answer => told.push(answer),
    worker: new URL(`data:text/javascript,${encodeURIComponent(WORKER)}`),
    workerData: {shared: left.buffer},
    threads: 2,
    ...options,
  });
  return told;
}
