import type {PageQuality} from '../pageQuality.ts';

/** The quality of smallTrace()'s page, for tests. Three quarters of its first screen are text. */
export function smallQuality(): PageQuality {
  return {
    screen: {width: 200, height: 200},
    objects: [
      {kind: 'text', area: 30_000, curve: [[100, 1]], scanEnds: [100]},
      {
        kind: 'picture',
        area: 10_000,
        curve: [
          [50, 0.3],
          [90, 0.6],
          [300, 0.9],
          [400, 1],
        ],
        scanEnds: [90, 400],
      },
    ],
  };
}
