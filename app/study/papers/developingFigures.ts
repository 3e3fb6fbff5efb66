import type {Figure} from '../figures/figure.ts';
import type {DevelopingPath} from './developing.ts';
import {numbered} from './figures.ts';
import type {Results} from './results.ts';

/** A figure of N07 or N08: what it shows of the page times. */
export interface NumberedFigure {
  readonly number: string;
  readonly path: DevelopingPath;
  /** N. */
  readonly count: number;
  readonly kind: 'pageTime' | 'pPage' | 'pRen';
}

/** The paper's figures, of the grid's own. */
export function developingFigures(
  paper: string,
  results: Results,
  figures: readonly NumberedFigure[],
): readonly Figure[] {
  return figures.map(({number, path, count, kind}) => {
    const name = `${FILES[kind]}-${path.preset}-n-${count}`;
    return numbered(results.figure('page-times', name), paper, number);
  });
}

/** How the grid's figures of a kind begin. */
const FILES: {readonly [K in NumberedFigure['kind']]: string} = {
  pageTime: 'page-time-t',
  pPage: 'ppage',
  pRen: 'pren',
};
