import {newByteDecoder} from './htmlRange.ts';
import {HTML_LIMITS, HtmlReader, type Overrun} from './htmlReader.ts';
import {INDEX_URL} from './page.ts';

/** The leading part of a page's HTML that is loaded. */
export interface HtmlExtent {
  readonly bytes: number;
  /** A text for users that states why the HTML is cut, or null if all of the HTML is loaded. */
  readonly why: string | null;
}

/**
 * Determines how much of an HTML file is within {@link HTML_LIMITS}. The HTML is cut before the first tag that exceeds
 * a limit, or at the limit of bytes. `fileBytes` is the size of the whole file; `html` must hold at least the part
 * within the limit of bytes.
 */
export function measureHtml(html: Uint8Array, fileBytes = html.length): HtmlExtent {
  const reader = new HtmlReader(INDEX_URL);
  const loaded = html.subarray(0, HTML_LIMITS.bytes);
  const text = newByteDecoder().decode(loaded);
  for (let at = 0; at < text.length && reader.overrun === null; at += PIECE) {
    reader.write(text.slice(at, at + PIECE));
  }
  const cut = reader.overrun ?? tooLong(loaded.length, fileBytes);
  if (cut === null) return {bytes: loaded.length, why: null};
  return {bytes: cut.at, why: `it is cut at byte ${cut.at} of ${fileBytes}: ${cut.why}`};
}

function tooLong(loadedBytes: number, fileBytes: number): Overrun | null {
  if (fileBytes <= loadedBytes) return null;
  return {at: loadedBytes, why: `it has more than ${HTML_LIMITS.bytes} bytes`};
}

/** Number of characters that are read between two checks of the limits. */
const PIECE = 65_536;
