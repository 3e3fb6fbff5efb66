import {joined} from '../../base/text.ts';
import type {Conversion} from '../../page/conversion.ts';
import type {ConvertedPage} from '../../page/page.ts';
import {conversionsOf, type Pane} from '../../pipelines/index.ts';
import {conversionText} from '../../pipelines/settingTexts.ts';

/**
 * Notes on how gateways convert the page's pictures: a line for each conversion. The line names the panes and says how
 * many pictures were converted. If at least one was converted, the line also gives the total size of the converted
 * pictures before and after, and the total duration. The duration is not part of any page time, because gateways keep
 * converted pictures (in N07 §6 they convert each picture once). The list is empty if no pane has a conversion. `names`
 * are the names of the panes as a sentence uses them.
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
    const took = converted === 0 ? '' : `, ${sizes}, in ${Math.round(tookMs)} ms (not part of any page time)`;
    return `${what}${took}${PAINTED[conversion]}`;
  });
}

/** How Chromium paints converted pictures (docs/image-formats.md). */
const PAINTED: {readonly [conversion in Conversion]: string} = {
  progressive: '',
  webp: '; painted from the top as they arrive',
  avif: '; painted when they are complete',
};

/** Counts the pictures of a page, and sums the sizes and durations of those that were converted. */
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

/**
 * The conversion of each pane: `left as served, right progressive`, or `pane 1 as served, …` for more than two panes.
 * The text is empty if all panes have the same conversion.
 */
export function conversionsText(panes: readonly Pane[]): string {
  const words = panes.map(({conversion}) => conversionText(conversion));
  if (new Set(words).size < 2) return '';
  const places = placesOf(panes);
  return words.map((word, i) => `${places[i]} ${word}`).join(', ');
}

/** Names panes by their positions, for use in a sentence: two are `left` and `right`, others `pane 1` and so on. */
export function placesOf(panes: readonly Pane[]): readonly string[] {
  return panes.length === 2 ? ['left', 'right'] : panes.map((_, i) => `pane ${i + 1}`);
}

function kilobytes(bytes: number): string {
  return (bytes / 1000).toFixed(1);
}
