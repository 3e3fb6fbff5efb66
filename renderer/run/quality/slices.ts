/** Does a small piece of work, now or when there is time; gives what it gives, or its error. */
export type Slices = <T>(work: () => T) => Promise<T>;

export const atOnce: Slices = async work => work();

/** What {@link whenIdle} asks of a window. */
export interface IdleWindow {
  readonly request: typeof requestIdleCallback;
  readonly wait: (callback: () => void, ms: number) => void;
  /** How long a hand has moved nothing, ms. */
  readonly stillMs: () => number;
}

/**
 * For a window that is used: piece after piece when it has nothing else to do, as many as fit into half a frame;
 * one at a time where it is never idle. None while a hand moves something: what follows it goes first.
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
    // or a hand came meanwhile
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
  // an idle period may have 50 ms, in which nobody is answered
  const leastMs = Math.max(deadline.timeRemaining() - MOST_MS, 0);
  do waiting.shift()?.();
  while (waiting.length > 0 && deadline.timeRemaining() > leastMs);
}

/** This window: with a hand on a slider, or that drags or turns a wheel, it is not still; one that only points is. */
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
      // Chromium is idle after a frame; where nothing moves, it may not find that out for long
      requestAnimationFrame(() => undefined);
      return requestIdleCallback(callback, options);
    },
    wait: (callback, ms) => setTimeout(callback, ms),
    stillMs: () => performance.now() - movedMs,
  };
}

/** Longer than between two moves of one drag. */
const REST_MS = 1000;
/** Where nothing is ever idle, as in a window that plays on a busy machine: a piece takes 2 or 3 ms. */
const LONGEST_WAIT_MS = 50;
/** Half a frame. */
const MOST_MS = 8;
