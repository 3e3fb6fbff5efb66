import type {Json} from '../../../app/base/json.ts';

/** What windows of the site remember until the next visit. All windows share it. The window that writes last wins. */
export class RememberedItem {
  readonly #isUsed: boolean;

  /** If `isUsed` is false, nothing is read or stored. */
  constructor(isUsed: boolean) {
    this.#isUsed = isUsed;
  }

  /**
   * Returns what is stored, or an empty object if nothing is stored or the stored text cannot be read. It never returns
   * null, because the window would then show the start screen, but a visitor should see the demo first.
   */
  read(): Json {
    if (!this.#isUsed) return {};
    try {
      return JSON.parse(localStorage.getItem(KEY) ?? '{}') as Json;
    } catch {
      return {};
    }
  }

  /** Replaces what is stored. @throws RangeError if it is too large; DOMException if the browser stores nothing */
  write(remembered: Json): void {
    if (!this.#isUsed) return;
    const text = JSON.stringify(remembered ?? {});
    if (text.length > LARGEST_CHARACTERS)
      throw new RangeError(`what is to be remembered has ${text.length} characters (at most ${LARGEST_CHARACTERS})`);
    localStorage.setItem(KEY, text);
  }
}

const KEY = 'interleave window';

/** Browsers give a site at least 5 MB, with two bytes a character. */
const LARGEST_CHARACTERS = 1_000_000;
