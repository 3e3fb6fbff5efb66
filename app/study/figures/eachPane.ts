import type {AbsentPoint, FigurePlace} from './figure.ts';
import type {FigureSubject, SubjectCell} from './subject.ts';

/** What is made of each pane of each cell that is there, and where there is nothing to make it of. */
export function eachPane<X extends number | string, T>(
  {series, cells}: FigureSubject,
  xOf: (cell: SubjectCell) => X,
  make: (cell: SubjectCell, pane: number, place: FigurePlace & {readonly x: X}) => T | null,
): {readonly points: readonly T[]; readonly absent: readonly AbsentPoint[]} {
  const points: T[] = [];
  const absent: AbsentPoint[] = [];
  for (const cell of cells) {
    for (const [own, {point, pane}] of series.entries()) {
      const found = point === cell.series ? cell.summary.panes[pane] : undefined;
      if (found === undefined) continue;
      const {runs, complete: n} = found;
      const place = {panel: cell.panel, series: own, n, runs, cell: cell.cell, x: xOf(cell)};
      const made = make(cell, pane, place);
      if (made === null) absent.push(place);
      else points.push(made);
    }
  }
  return {points, absent};
}

export function xNumbers({x}: FigureSubject): (cell: SubjectCell) => number {
  return cell => x.numbers[cell.x] ?? 0;
}

export function xNames({x}: FigureSubject): (cell: SubjectCell) => string {
  return cell => x.names[cell.x] ?? '';
}
