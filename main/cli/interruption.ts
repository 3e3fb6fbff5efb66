import {constants} from 'node:os';
import {setImmediate as breath} from 'node:timers/promises';
import {CANCELLED, MovieError} from '../media/studio/studio.ts';

/** What ends a program that is not asked first. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs `work` with what aborts when the user ends the program; a second time does no more. `cancelled` is what is said
 * then.
 * @returns `work`'s exit code, or 128 + the signal's number if that ended it.
 */
export async function untilInterrupted(
  work: (signal: AbortSignal) => Promise<number>,
  cancelled = CANCELLED.message,
): Promise<number> {
  const abort = new AbortController();
  let code = 0;
  const listen = (signal: (typeof SIGNALS)[number]) => {
    code ||= 128 + constants.signals[signal];
    abort.abort();
  };
  for (const signal of SIGNALS) process.on(signal, listen);
  try {
    return await work(abort.signal);
  } catch (error) {
    const isCancelled = error === abort.signal.reason;
    if (code === 0 || !(isCancelled || error instanceof MovieError)) throw error;
    const message = isCancelled ? cancelled : (error as MovieError).message;
    process.stderr.write(`interleave: ${message}\n`);
    return code;
  } finally {
    for (const signal of SIGNALS) process.off(signal, listen);
  }
}

/**
 * Runs `compute` with what `prepare` gives, without listening to signals: it leaves the event loop no turn to hear one, and
 * has nothing to leave behind, so that a signal ends the program at once. While it prepares, {@link untilInterrupted} holds.
 * @returns `compute`'s result, or the exit code if `prepare` gave one or a signal ended it.
 */
export async function preparedUntilInterrupted<P extends object, T>(
  prepare: (signal: AbortSignal) => Promise<P | number>,
  compute: (prepared: P) => T,
): Promise<{readonly result: T} | {readonly code: number}> {
  let prepared: P | undefined;
  const code = await untilInterrupted(async signal => {
    const given = await prepare(signal);
    if (typeof given === 'number') return given;
    // a signal that has come is heard before nobody listens any more: its sender does not want the result
    await breath();
    signal.throwIfAborted();
    prepared = given;
    return 0;
  });
  return prepared === undefined ? {code} : {result: compute(prepared)};
}
