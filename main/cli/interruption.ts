import {once} from 'node:events';
import {constants} from 'node:os';
import {setImmediate as breath} from 'node:timers/promises';
import {CANCELLED, MovieError} from '../media/studio/studio.ts';

/** What is printed when a study that can be continued later is interrupted. */
export const CONTINUE = 'it was cancelled; what is done stays, and --resume continues with it';

/** The signals that end a program. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs `work` with a signal that is aborted when the user ends the program. After that, `cancelled` is printed. A
 * second Ctrl+C has no further effect.
 * @returns `work`'s exit code, or 128 + the number of the signal that ended it.
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

/** Waits until the user ends the program, then throws the signal's reason. */
export async function untilEnded(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort');
  throw signal.reason;
}

/**
 * Runs `prepare` as {@link untilInterrupted} does, then runs `compute` with its result. During `compute` nothing
 * listens for signals: `compute` blocks the event loop, so a listener would not be called. A signal may then end the
 * program at once, because `compute` leaves nothing behind.
 * @returns `compute`'s result, or the exit code if `prepare` returned one or a signal ended it.
 */
export async function preparedUntilInterrupted<P extends object, T>(
  prepare: (signal: AbortSignal) => Promise<P | number>,
  compute: (prepared: P) => T,
): Promise<{readonly result: T} | {readonly code: number}> {
  let prepared: P | undefined;
  const code = await untilInterrupted(async signal => {
    const given = await prepare(signal);
    if (typeof given === 'number') return given;
    // if a signal has come it is handled before its listeners are removed, because the user does not want the result
    await breath();
    signal.throwIfAborted();
    prepared = given;
    return 0;
  });
  return prepared === undefined ? {code} : {result: compute(prepared)};
}
