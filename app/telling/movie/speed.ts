/** Seconds of the run that are played in one second. `auto` chooses a speed that suits the run's length. */
export type Speed = number | 'auto';

/** The speed as a number. @param endNs the run time at which the run ends */
export function speedOf(speed: Speed, endNs: number): number {
  return speed === 'auto' ? autoSpeed(endNs) : speed;
}

/** A speed in words, such as `1/25 of real speed` or `10 × real speed`. The text is empty for real speed. */
export function speedText(speed: number): string {
  if (speed === 1) return '';
  const divisor = Math.round(1 / speed);
  const isPart = speed < 1 && Math.abs(divisor * speed - 1) < 1e-9;
  return isPart ? `1/${divisor} of real speed` : `${Number(speed.toPrecision(3))} × real speed`;
}

/**
 * The speed at which a run shorter than 10 s lasts about 10 s, and a run longer than a minute lasts about a minute.
 * Other runs play at real speed.
 */
function autoSpeed(endNs: number): number {
  if (endNs <= 0) return 1;
  if (endNs < SHORT_NS) return 1 / nearestFactor(SHORT_NS / endNs);
  return endNs > LONG_NS ? nearestFactor(endNs / LONG_NS) : 1;
}

/** Returns the item of {@link ROUND_FACTORS} whose ratio to `factor` is nearest to 1. */
function nearestFactor(factor: number): number {
  const distance = (round: number) => Math.abs(Math.log(round / factor));
  return ROUND_FACTORS.reduce((best, round) => (distance(round) < distance(best) ? round : best));
}

const SHORT_NS = 10e9;
const LONG_NS = 60e9;
/** Factors that are easy to say in a sentence. */
const ROUND_FACTORS = [1, 2, 3, 4, 5, 10, 15, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 5000, 10_000];
