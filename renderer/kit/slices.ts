/**
 * Does a small piece of work, immediately or when there is time. The promise settles with the result or error of
 * `work`.
 */
export type Slices = <T>(work: () => T) => Promise<T>;

export const atOnce: Slices = async work => work();

/** The functions of a window that {@link whenIdle} needs. */
export interface IdleWindow {
  readonly request: typeof requestIdleCallback;
  readonly wait: (callback: () => void, ms: number) => void;
  /** How long ago the user last dragged, typed or turned the wheel, ms. */
  readonly stillMs: () => number;
}

/**
 * Does slices of work in a window that is in use. It does them in order while the window is idle, as many at a time as
 * fit into half a frame. In a window that is never idle, it does one slice at a time. It does no slice while the user
 * drags, types or turns the wheel.
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
    // the user may have begun to drag, type or turn the wheel meanwhile
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
  // an idle period may last 50 ms; work of that length would delay the answer to the user's input
  const leastMs = Math.max(deadline.timeRemaining() - MOST_MS, 0);
  do waiting.shift()?.();
  while (waiting.length > 0 && deadline.timeRemaining() > leastMs);
}

/**
 * Returns the functions of this window that {@link whenIdle} needs, and begins to listen to what the user does. Inputs,
 * drags and turns of the wheel count as use; other movement of the pointer does not.
 */
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
      // requests a frame: Chromium looks for idle time only after frames, and without changes there are no frames
      requestAnimationFrame(() => undefined);
      return requestIdleCallback(callback, options);
    },
    wait: (callback, ms) => setTimeout(callback, ms),
    stillMs: () => performance.now() - movedMs,
  };
}

/** How long the user must have been inactive, ms. This is longer than the time between two moves of one drag. */
const REST_MS = 1000;
/** How long slices wait if the window is never idle, for example while a run plays on a busy machine, ms. */
const LONGEST_WAIT_MS = 50;
/** The time that slices may use in an idle period: half a frame, ms. */
const MOST_MS = 8;
