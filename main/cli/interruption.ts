import {once} from 'node:events';
import {constants} from 'node:os';
import {setImmediate as pendingEvents} from 'node:timers/promises';
import {CANCELLED, MovieError} from '../media/studio/studio.ts';

/** The message that is printed when the user interrupts a study that can be resumed. */
export const CONTINUE = 'the study was cancelled; finished runs are kept, and --resume continues it';

/** The signals that end a program. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs `work` with an AbortSignal that is aborted when the user ends the program (Ctrl+C). If `work` then throws
 * the reason of the AbortSignal, `cancelled` is printed. If it then throws a MovieError, the message of that error is
 * printed. In all other cases the error is thrown. A second Ctrl+C has no further effect.
 * @returns the exit code of `work`. If one of these texts was printed, 128 + the number of the signal of the operating
 * system
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

/** Waits until the signal is aborted, then throws its reason. */
export async function untilEnded(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort');
  throw signal.reason;
}

/**
 * Runs `prepare` as {@link untilInterrupted} does, then runs `compute` with the result of `prepare`. During `compute`
 * no listener handles signals, because `compute` blocks the event loop and a listener would not be called. A signal
 * then ends the program immediately, which is harmless because `compute` writes no files.
 * @returns the result of `compute`, or the exit code if `prepare` returned one or a signal ended `prepare`
 */
export async function preparedUntilInterrupted<P extends object, T>(
  prepare: (signal: AbortSignal) => Promise<P | number>,
  compute: (prepared: P) => T,
): Promise<{readonly result: T} | {readonly code: number}> {
  let prepared: P | undefined;
  const code = await untilInterrupted(async signal => {
    const given = await prepare(signal);
    if (typeof given === 'number') return given;
    // a signal that has already arrived is handled here, while its listeners still exist
    await pendingEvents();
    signal.throwIfAborted();
    prepared = given;
    return 0;
  });
  return prepared === undefined ? {code} : {result: compute(prepared)};
}
