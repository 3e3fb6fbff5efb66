import {scaleBand} from 'd3-scale';
import {isDimmed} from '../hovered.ts';
import {objectColour} from '../objectColours.ts';
import {clipped, type Drawing, drawText} from './drawing.ts';
import {fontOf, PALETTES, type Plot, type TimelineModel} from './plots.ts';

/** A row per object: light from its request, full from its first byte, striped while bytes wait at the host. */
export function drawWaterfall(drawing: Drawing, model: TimelineModel, plot: Plot): void {
  const {box, x} = plot;
  const palette = PALETTES[model.theme];
  const objects = plot.panes[0]?.trace.objects ?? [];
  const rows = scaleBand(Array.from(objects.keys()), [box.y, box.y + box.height]).padding(0.15);
  const height = rows.bandwidth() / plot.panes.length;
  const isLabelled = rows.step() >= model.fontPx * 0.9;
  for (const [object, {url}] of objects.entries()) {
    const top = rows(object) ?? 0;
    drawing.globalAlpha = isDimmed(model.hovered, object) ? 0.2 : 1;
    if (isLabelled) {
      const name = url.length > 14 ? `…${url.slice(-13)}` : url;
      const place = {x: box.x - model.fontPx * 0.4, y: top + rows.bandwidth() / 2};
      drawText(drawing, name, place, {colour: palette.dim, font: fontOf(model), align: 'right'});
    }
    const colour = objectColour(object, model.theme);
    for (const [pane, {trace}] of plot.panes.entries()) {
      const row = trace.objects[object];
      if (row === undefined || row.requestNs === null) continue;
      const y = top + pane * height;
      const endNs = row.completeNs ?? row.failedNs ?? trace.data.endNs;
      const bar = (fromNs: number, toNs: number, alpha: number): void => {
        drawing.save();
        drawing.globalAlpha *= alpha;
        drawing.fillStyle = colour;
        drawing.fillRect(x(fromNs), y, Math.max(x(toNs) - x(fromNs), 1), Math.max(height - 1, 1));
        drawing.restore();
      };
      clipped(drawing, box, () => {
        bar(row.requestNs ?? 0, endNs, 0.25);
        if (row.firstByteNs !== null) bar(row.firstByteNs, endNs, 0.75);
        for (const {startNs, endNs: untilNs} of trace.blockedOf(object)) {
          drawing.fillStyle = palette.text;
          for (let at = x(startNs); at < x(untilNs); at += 5) {
            drawing.fillRect(at, y, Math.min(2, x(untilNs) - at), Math.max(height - 1, 1));
          }
        }
        if (row.failedNs !== null) bar(row.failedNs, row.failedNs, 1);
      });
    }
  }
  drawing.globalAlpha = 1;
}
