/** Run time per time of who watches; `auto` is what a run's length asks for. */
export type Speed = number | 'auto';

/** @param endNs of the run. */
export function speedOf(speed: Speed, endNs: number): number {
  return speed === 'auto' ? autoSpeed(endNs) : speed;
}

/** In words where it is not real: `1/25 of real speed`, `10 × real speed`; empty where it is. */
export function speedText(speed: number): string {
  if (speed === 1) return '';
  const divisor = Math.round(1 / speed);
  const isPart = speed < 1 && Math.abs(divisor * speed - 1) < 1e-9;
  return isPart ? `1/${divisor} of real speed` : `${Number(speed.toPrecision(3))} × real speed`;
}

/** Ten seconds for a run that is over too soon to be watched, a minute for one that nobody would wait for. */
function autoSpeed(endNs: number): number {
  if (endNs <= 0) return 1;
  if (endNs < SHORT_NS) return 1 / nearestStep(SHORT_NS / endNs);
  return endNs > LONG_NS ? nearestStep(endNs / LONG_NS) : 1;
}

/** By ratio: numbers that can be said in a sentence. */
function nearestStep(factor: number): number {
  const distance = (step: number) => Math.abs(Math.log(step / factor));
  return STEPS.reduce((best, step) => (distance(step) < distance(best) ? step : best));
}

const SHORT_NS = 10e9;
const LONG_NS = 60e9;
const STEPS = [1, 2, 3, 4, 5, 10, 15, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 5000, 10_000];
