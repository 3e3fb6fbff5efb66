import {CAUSE_KINDS} from '../../run/why/causeKinds.ts';
import {CAUSE_METRICS} from '../experiment/metricList.ts';
import {captionOf, figureName, figureTitle, spacingText} from './caption.ts';
import type {AbsentPoint, Figure, StackPoint} from './figure.ts';
import {commonOf, inOrder} from './means.ts';
import {eachPane, type FigureSubject, xNames} from './subject.ts';

/**
 * The figure of the causes of the page's time. Each pane has panels of its own, with a bar for each place on the x
 * axis. Each bar has a part for each cause. Returns null if no load has causes.
 */
export function causesFigure(subject: FigureSubject): Figure | null {
  const found = eachPane(subject, xNames(subject), ({summary}, pane, place) => {
    const metrics = summary.panes[pane]?.metrics ?? {};
    const causes = CAUSE_METRICS.map(({name, cause}) => ({cause, ...metrics[name]}));
    return causes.every(({mean}) => mean == null) ? null : {place, pane, causes};
  });
  const causes = CAUSE_KINDS.filter(({name}) =>
    found.points.some(point => point.causes.some(({cause, mean}) => cause === name && (mean ?? 0) > 0)),
  );
  if (causes.length === 0) return null;
  // each pane has its own panels: the colours show the causes, so they cannot also distinguish the panes
  const panes = subject.series.map(({name}) => name);
  const panelOf = ({panel, series}: AbsentPoint): number => panel * panes.length + series;
  const points = found.points.flatMap(({place, pane, causes: own}): readonly StackPoint[] => {
    let from = 0;
    return causes.map(({name}, series) => {
      const {mean, ci95 = null} = own.find(({cause}) => cause === name) ?? {};
      const to = from + (mean ?? 0) / 1000;
      const half = ci95 === null ? null : ci95 / 1000;
      const part = {...place, panel: panelOf(place), series, pane, from, to, half};
      from = to;
      return part;
    });
  });
  const marks =
    `Each bar is the mean time from navigation until the page was complete, by cause (docs/why.md). Lines are the 95 % ` +
    `confidence intervals of the causes’ means (Student’s t).${spacingText(subject)} Only complete loads count.`;
  return {
    name: figureName('causes', subject),
    title: figureTitle('Causes of the time', subject),
    x: {...subject.x.axis, places: inOrder(subject, subject.x.names)},
    y: {label: 'time until the page is complete', unit: 's'},
    ...commonOf(subject, false),
    panels: subject.panels.flatMap(panel => panes.map(pane => [panel, pane].filter(Boolean).join(', '))),
    series: causes.map(({name, label}, colour) => ({name: label, colour, isPaper: false, cause: name})),
    marks: {kind: 'stacks', points},
    absent: found.absent.map(place => ({...place, panel: panelOf(place), series: 0})),
    caption: captionOf(subject, marks),
  };
}
