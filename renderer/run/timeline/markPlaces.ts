import type {Point} from './drawing.ts';
import {milestones} from './milestones.ts';
import type {Plot, TimelineModel} from './model.ts';
import {allPlots, cursorAt, stripOf} from './plots.ts';
import {revealedNs} from './reveal.ts';

/** The kinds of marks. {@link markPlaces} finds at most one mark of each kind. */
export type MarkKind = 'line' | 'loss' | 'repair' | 'wait' | 'milestone' | 'now';

/**
 * Where the picture has a mark of each kind, CSS px of the timeline. From several marks of a kind, the first one is
 * taken that is far from the marks that are taken already, so that labels at the marks do not cover each other. If all
 * of them are near, the first one is taken. All kinds are found only in the percent view (the view that is shown first)
 * if its graphs are stacked. Otherwise only the mark of the current time `tNs` (`now`) is found.
 */
export function markPlaces(model: TimelineModel, tNs: number): ReadonlyMap<MarkKind, Point> {
  const places = new Map<MarkKind, Point>();
  const plots = allPlots(model);
  const [first] = plots;
  if (first === undefined) return places;
  const take = (kind: MarkKind, candidates: readonly Point[]) => {
    const taken = [...places.values()];
    const isFree = (point: Point): boolean =>
      taken.every(other => Math.hypot(other.x - point.x, other.y - point.y) > APART_EM * model.fontPx);
    const found = candidates.find(isFree) ?? candidates[0];
    if (found !== undefined) places.set(kind, found);
  };
  const cursor = cursorAt(first.x, tNs);
  if (cursor.isInSight) take('now', [{x: cursor.x, y: first.box.y + first.box.height / 2}]);
  if (model.view.name !== 'percent' || model.layout !== 'stacked') return places;
  const all = (pointsOf: (model: TimelineModel, plot: Plot) => readonly Point[]): readonly Point[] =>
    plots.flatMap(plot => pointsOf(model, plot).filter(({x}) => x >= plot.box.x && x <= plot.box.x + plot.box.width));
  take('loss', all(losses));
  take('repair', all(repairs));
  take('wait', all(waits));
  take('milestone', all(milestoneLines));
  take('line', all(lines));
  return places;
}

/** The crosses of lost packets. Those of packets with data are larger, so they come first within each pane. */
function losses(model: TimelineModel, plot: Plot): readonly Point[] {
  return plot.panes.flatMap(({trace}, pane) => {
    const {fateNs} = trace.data.packets;
    const isLarge = (packet: number): number => Number(trace.objectsOf(packet).length > 0);
    return trace
      .droppedPackets()
      .toSorted((a, b) => isLarge(b) - isLarge(a))
      .flatMap(packet => inStrip(model, plot, pane, fateNs[packet] ?? 0));
  });
}

/** The bars of retransmissions. */
function repairs(model: TimelineModel, plot: Plot): readonly Point[] {
  return plot.panes.flatMap(({trace}, pane) =>
    [...trace.retransmissions()].flatMap(packet => inStrip(model, plot, pane, trace.data.packets.sentNs[packet] ?? 0)),
  );
}

function inStrip(model: TimelineModel, plot: Plot, pane: number, atNs: number): readonly Point[] {
  const {y, height} = stripOf(plot, pane);
  return atNs > revealedNs(model) ? [] : [{x: plot.x(atNs), y: y + height / 2}];
}

/** The middles of the areas that show waiting data, the longest wait of each graph first. */
function waits(model: TimelineModel, {box, x, panes}: Plot): readonly Point[] {
  return panes
    .flatMap(({trace}) => trace.blockedRows())
    .filter(({startNs}) => startNs < revealedNs(model))
    .toSorted((a, b) => b.endNs - b.startNs - (a.endNs - a.startNs))
    .map(({startNs, endNs}) => ({x: x((startNs + Math.min(endNs, revealedNs(model))) / 2), y: box.y + box.height / 2}));
}

function milestoneLines(model: TimelineModel, plot: Plot): readonly Point[] {
  return plot.panes.flatMap((_, pane) =>
    milestones(model, plot, pane).map(({x}) => ({x, y: plot.box.y + plot.box.height / 2})),
  );
}

/** Points near the upper ends of the objects' lines, at the times when the objects are complete. */
function lines(model: TimelineModel, {box, x, panes}: Plot): readonly Point[] {
  return panes.flatMap(({trace}) =>
    trace.objects.flatMap(({completeNs}) =>
      completeNs === null || completeNs > revealedNs(model) ? [] : [{x: x(completeNs), y: box.y + box.height * 0.2}],
    ),
  );
}

/** Two labels that are this far apart do not cover each other. */
const APART_EM = 2;
