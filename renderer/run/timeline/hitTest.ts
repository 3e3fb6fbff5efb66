import {columnAt} from './columns.ts';
import type {Point} from './drawing.ts';
import type {Hit, TimelineModel} from './model.ts';
import {layOut} from './plots.ts';
import {revealedPart} from './reveal.ts';

/** A lost packet's mark, or the object whose line, row or packet is nearest; undefined where there is none. */
export function hitTest(picture: TimelineModel, point: Point): Hit | undefined {
  const model = columnAt(picture, point.x);
  const plot = layOut(model).find(({box, strip}) => {
    return point.y >= box.y - 4 && point.y <= strip.y + strip.height + 4;
  });
  if (plot === undefined) return undefined;
  const {x, width} = revealedPart(model, plot, plot.box);
  return point.x > x + width && point.x < plot.box.x + plot.box.width ? undefined : model.view.hit(model, plot, point);
}
