import type {BothWays, Loss, PathSettings} from './path.ts';

/** The path in one line for people: `1 Mbit/s, RTT 350 ms, 3 % loss`. */
export function describePath({rateBps, rttMs, loss}: PathSettings): string {
  return [
    bothWays(rateBps, rateText),
    `RTT ${bothWays(rttMs, ms => `${ms} ms`)}`,
    bothWays(loss, lossText),
  ].join(', ');
}

function bothWays<T>(both: BothWays<T>, text: (value: T) => string): string {
  const [down, up] = [text(both.down), text(both.up)];
  return down === up ? down : `${down} down and ${up} up`;
}

function rateText(bps: number): string {
  const [divisor, unit] = UNITS.find(([least]) => bps >= least) ?? [1, 'bit/s'];
  return `${short(bps / divisor)} ${unit}`;
}

function lossText(loss: Loss): string {
  switch (loss.model) {
    case 'bernoulli':
      return loss.rate === 0 ? 'no loss' : `${short(loss.rate * 100)} % loss`;
    case 'gilbert-elliott':
      return `loss in bursts (p ${short(loss.p)}, r ${short(loss.r)}, h ${short(loss.h)}, k ${short(loss.k)})`;
    case 'list':
      return loss.packets.length === 0 ? 'no loss' : `packets ${loss.packets.join(', ')} lost`;
  }
}

/** Up to three digits: nobody reads more on a screen. */
function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}

const UNITS: readonly (readonly [least: number, unit: string])[] = [
  [1e9, 'Gbit/s'],
  [1e6, 'Mbit/s'],
  [1e3, 'kbit/s'],
];
