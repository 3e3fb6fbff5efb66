/** Does a small piece of work, now or when there is time. The promise settles as `work` returns or throws. */
export type Slices = <T>(work: () => T) => Promise<T>;

export const atOnce: Slices = async work => work();

/** What {@link whenIdle} needs of a window. */
export interface IdleWindow {
  readonly request: typeof requestIdleCallback;
  readonly wait: (callback: () => void, ms: number) => void;
  /** How long ago the user last moved something, ms. */
  readonly stillMs: () => number;
}

/**
 * Does slices of work in a window that is in use. They are done in order while the window is idle, as many at once as
 * fit into half a frame. In a window that is never idle, one is done at a time. None is done while the user moves
 * something.
 */
export function whenIdle({request, wait, stillMs}: IdleWindow): Slices {
  const waiting: (() => void)[] = [];
  let isAsked = false;
  const ask = (): void => {
    if (isAsked || waiting.length === 0) return;
    isAsked = true;
    const restMs = REST_MS - stillMs();
    if (restMs > 0) wait(askAgain, restMs);
    else request(run, {timeout: LONGEST_WAIT_MS});
  };
  const askAgain = (): void => {
    isAsked = false;
    ask();
  };
  const run = (deadline: IdleDeadline): void => {
    // the user may have begun to move something in the meantime
    if (stillMs() >= REST_MS) doSome(waiting, deadline);
    askAgain();
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

function doSome(waiting: (() => void)[], deadline: IdleDeadline): void {
  // an idle period may last 50 ms, too long to leave the user without an answer
  const leastMs = Math.max(deadline.timeRemaining() - MOST_MS, 0);
  do waiting.shift()?.();
  while (waiting.length > 0 && deadline.timeRemaining() > leastMs);
}

/** The idle time of this window. Inputs, drags and turns of the wheel count as moving something; pointing does not. */
export function thisWindow(): IdleWindow {
  let movedMs = Number.NEGATIVE_INFINITY;
  const move = (): void => {
    movedMs = performance.now();
  };
  const drag = ({buttons}: PointerEvent): void => {
    if (buttons !== 0) move();
  };
  const early = {capture: true, passive: true};
  window.addEventListener('input', move, early);
  window.addEventListener('wheel', move, early);
  window.addEventListener('pointermove', drag, early);
  return {
    request: (callback, options) => {
      // asks for a frame, because Chromium looks for idle time after frames, and without changes there are none
      requestAnimationFrame(() => undefined);
      return requestIdleCallback(callback, options);
    },
    wait: (callback, ms) => setTimeout(callback, ms),
    stillMs: () => performance.now() - movedMs,
  };
}

/** How long the user must have moved nothing: longer than the time between two moves of one drag. */
const REST_MS = 1000;
/**
 * How long a slice waits in a window that is never idle, such as one that plays on a busy machine. A slice takes 2–3
 * ms.
 */
const LONGEST_WAIT_MS = 50;
/** The time of an idle period that slices may take: half a frame. */
const MOST_MS = 8;
