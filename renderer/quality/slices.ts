/** Does a small piece of work, now or when there is time; gives what it gives, or its error. */
export type Slices = <T>(work: () => T) => Promise<T>;

export const atOnce: Slices = async work => work();

/**
 * For a window that is used: piece after piece when it has nothing else to do, as many as fit into half a frame;
 * one at a time where it is never idle.
 */
export function whenIdle(request: typeof requestIdleCallback = requestIdleCallback): Slices {
  const waiting: (() => void)[] = [];
  let isAsked = false;
  const ask = (): void => {
    if (isAsked || waiting.length === 0) return;
    isAsked = true;
    request(run, {timeout: LONGEST_WAIT_MS});
  };
  const run = (deadline: IdleDeadline): void => {
    isAsked = false;
    // an idle period may have 50 ms, in which nobody is answered
    const leastMs = Math.max(deadline.timeRemaining() - MOST_MS, 0);
    do waiting.shift()?.();
    while (waiting.length > 0 && deadline.timeRemaining() > leastMs);
    ask();
  };
  return work =>
    new Promise((resolve, reject) => {
      waiting.push(() => {
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
      });
      ask();
    });
}

const LONGEST_WAIT_MS = 200;
/** Half a frame. */
const MOST_MS = 8;
