/** Run time per time of the viewer. `auto` is a speed that suits the run's length. */
export type Speed = number | 'auto';

/** The speed as a number. @param endNs the end of the run */
export function speedOf(speed: Speed, endNs: number): number {
  return speed === 'auto' ? autoSpeed(endNs) : speed;
}

/** A speed in words: `1/25 of real speed`, `10 × real speed`; empty for real speed. */
export function speedText(speed: number): string {
  if (speed === 1) return '';
  const divisor = Math.round(1 / speed);
  const isPart = speed < 1 && Math.abs(divisor * speed - 1) < 1e-9;
  return isPart ? `1/${divisor} of real speed` : `${Number(speed.toPrecision(3))} × real speed`;
}

/** Stretches a short run to about 10 s, so that it can be watched, and shortens a long one to about a minute. */
function autoSpeed(endNs: number): number {
  if (endNs <= 0) return 1;
  if (endNs < SHORT_NS) return 1 / nearestStep(SHORT_NS / endNs);
  return endNs > LONG_NS ? nearestStep(endNs / LONG_NS) : 1;
}

/** The step with the nearest ratio. Steps are numbers that are easy to say in a sentence. */
function nearestStep(factor: number): number {
  const distance = (step: number) => Math.abs(Math.log(step / factor));
  return STEPS.reduce((best, step) => (distance(step) < distance(best) ? step : best));
}

const SHORT_NS = 10e9;
const LONG_NS = 60e9;
const STEPS = [1, 2, 3, 4, 5, 10, 15, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 5000, 10_000];
