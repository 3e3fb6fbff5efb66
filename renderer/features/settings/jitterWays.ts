import type {PathSettings} from '../../../app/run/scenario/path.ts';

/** The jitter of one direction, or of both directions if they are equal. */
interface JitterWay {
  /** The key, written as in `--set`. It sets only the spread, so that the jitter keeps its distribution and order. */
  readonly settingKey: string;
  readonly label: string;
  readonly ms: number;
}

/** The jitters to show: one for both directions, or one for each direction if they differ. */
export function jitterWays({jitter}: Pick<PathSettings, 'jitter'>): readonly JitterWay[] {
  const [down, up] = [jitter?.down, jitter?.up];
  if (JSON.stringify(down) === JSON.stringify(up))
    return [{settingKey: 'path.jitter.ms', label: 'Jitter', ms: down?.ms ?? 0}];
  return [
    {settingKey: 'path.jitter.down.ms', label: 'Jitter down', ms: down?.ms ?? 0},
    {settingKey: 'path.jitter.up.ms', label: 'Jitter up', ms: up?.ms ?? 0},
  ];
}
