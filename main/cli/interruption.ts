import {constants} from 'node:os';
import {CANCELLED, MovieError} from '../movie/studio.ts';

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
