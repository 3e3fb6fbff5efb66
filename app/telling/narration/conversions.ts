import type {Conversion} from '../../page/conversion.ts';
import type {ConvertedPage} from '../../page/page.ts';
import {conversionsOf, type Pane} from '../../pipelines/index.ts';
import {conversionText} from '../../pipelines/settingTexts.ts';
import {joined} from '../../run/trace/traceTexts.ts';

/**
 * Notes on what gateways make of the page's pictures, one line for each conversion: panes, number of pictures, sizes
 * before and after, and how long it took. This time is not part of any page time, because gateways keep what they
 * converted (N07 §6 has them convert once). Empty if all pictures are as served. `names` are the names of the panes
 * within a sentence.
 */
export function conversionNotes(
  page: ConvertedPage,
  panes: readonly Pane[],
  names: readonly string[],
): readonly string[] {
  return conversionsOf(panes).map(conversion => {
    const who = names.filter((_, i) => panes[i]?.conversion === conversion);
    const {pictures, converted, servedBytes, bytes, tookMs} = conversionOf(page, conversion);
    const sizes = `${kilobytes(servedBytes)} → ${kilobytes(bytes)} KB`;
    const count = converted === pictures ? `${pictures}` : `${converted} of ${pictures}`;
    const what = `pictures ${conversionText(conversion)} (${joined(who)}): ${count} converted`;
    const took = converted === 0 ? '' : `, ${sizes}, in ${Math.round(tookMs)} ms that no page time includes`;
    return `${what}${took}${PAINTED[conversion]}`;
  });
}

/** How Chromium paints the pictures that such a gateway sends (docs/image-formats.md). */
const PAINTED: {readonly [conversion in Conversion]: string} = {
  progressive: '',
  webp: '; painted from the top as they arrive',
  avif: '; painted when they are complete',
};

/** Sums over all pictures of a page. */
function conversionOf({objects, converted = []}: ConvertedPage, conversion: Conversion) {
  const made = converted.find(each => each.conversion === conversion)?.objects ?? [];
  const sum = {pictures: 0, converted: 0, servedBytes: 0, bytes: 0, tookMs: 0};
  for (const [i, {body, contentType}] of objects.entries()) {
    const after = made[i] ?? null;
    if (body !== null && (after !== null || contentType.startsWith('image/'))) sum.pictures += 1;
    if (body === null || after === null) continue;
    sum.converted += 1;
    sum.servedBytes += body.length;
    sum.bytes += after.body.length;
    sum.tookMs += after.tookMs;
  }
  return sum;
}

/** `left as served, right progressive`, or `pane 1 as served, …` for more panes. Empty if all have the same. */
export function conversionsText(panes: readonly Pane[]): string {
  const words = panes.map(({conversion}) => conversionText(conversion));
  if (new Set(words).size < 2) return '';
  const places = placesOf(panes);
  return words.map((word, i) => `${places[i]} ${word}`).join(', ');
}

/** The positions of the panes within a sentence. */
export function placesOf(panes: readonly Pane[]): readonly string[] {
  return panes.length === 2 ? ['left', 'right'] : panes.map((_, i) => `pane ${i + 1}`);
}

function kilobytes(bytes: number): string {
  return (bytes / 1000).toFixed(1);
}
