/** The dots of a row, px. */
export interface Swarm {
  readonly radius: number;
  /** How far each dot is below the middle of the row, px, in the order of the values. */
  readonly ys: readonly number[];
}

/**
 * Places dots in a row so that they do not overlap. Each dot is as near to the middle of the row as the dots to its
 * left allow. The same values give the same positions. If the row is too low for all dots, they become smaller, down to
 * about half of `mostRadius`. If that is not enough, they overlap.
 */
export function swarm(xs: readonly number[], mostRadius: number, halfHeight: number): Swarm {
  let radius = mostRadius;
  let ys = touching(xs, radius);
  while (farthest(ys) + radius > halfHeight && radius > mostRadius / 2) {
    radius *= 0.9;
    ys = touching(xs, radius);
  }
  const most = farthest(ys);
  const share = most + radius > halfHeight ? Math.max(halfHeight - radius, 0) / most : 1;
  return {radius, ys: ys.map(y => y * share)};
}

function farthest(ys: readonly number[]): number {
  return ys.reduce((far, y) => Math.max(far, Math.abs(y)), 0);
}

function touching(xs: readonly number[], radius: number): readonly number[] {
  const order = xs.map((x, at) => ({x, at})).sort((a, b) => a.x - b.x || a.at - b.at);
  const ys = Array<number>(xs.length).fill(0);
  const placed: {readonly x: number; readonly y: number}[] = [];
  for (const {x, at} of order) {
    const near = placed.filter(dot => x - dot.x < 2 * radius);
    const isFree = (y: number) => near.every(dot => (x - dot.x) ** 2 + (y - dot.y) ** 2 >= (2 * radius) ** 2 - EPSILON);
    // positions just above or below one of the near dots, touching it
    const places = near.flatMap(dot => {
      const away = Math.sqrt((2 * radius) ** 2 - (x - dot.x) ** 2);
      return [dot.y - away, dot.y + away];
    });
    const y = [0, ...places].filter(isFree).sort((a, b) => Math.abs(a) - Math.abs(b) || a - b)[0] ?? 0;
    ys[at] = y;
    placed.push({x, y});
  }
  return ys;
}

/** The tolerance for rounding errors, px². */
const EPSILON = 1e-6;
