import {Parser} from 'htmlparser2';
import {type HtmlRange, joinedRanges, newByteDecoder} from './htmlRange.ts';

/**
 * Finds the bytes of an HTML file that a tag-matching browser (C03 §2) can show, as the file arrives in order. Such a
 * browser shows the content of an element when the end tag of the element arrives, even if the elements around it are
 * still open. Otherwise a page that is wholly within one element would be shown only at the end. Content that is
 * directly in html, head or body, or outside all elements, is shown as it arrives. An element whose end tag is omitted
 * (HTML §13.1.2.4) is treated as part of its parent.
 */
export class TagContexts {
  readonly #parser: Parser;
  readonly #decoder = newByteDecoder();
  readonly #open: {readonly name: string; readonly first: number}[] = [];
  /**
   * Ranges that have arrived but are not shown yet, in order. They belong to elements that are still open, or that ended
   * without an end tag.
   */
  #held: HtmlRange[] = [];
  #shown: HtmlRange[] = [];
  /** The offset up to which all bytes are either shown or in `#held`. */
  #at = 0;

  constructor() {
    const parser: Parser = new Parser({
      onopentagname: name => this.#begin(name, parser.startIndex),
      onclosetag: (name, isImplied) => this.#close(name, isImplied, parser.endIndex + 1),
      ontext: () => this.#reach(parser.endIndex + 1),
      oncomment: () => this.#reach(parser.endIndex + 1),
      onprocessinginstruction: () => this.#reach(parser.endIndex + 1),
    });
    this.#parser = parser;
  }

  /** Reads the next bytes. Returns the ranges that can now be shown. */
  push(bytes: Uint8Array): readonly HtmlRange[] {
    this.#parser.write(this.#decoder.decode(bytes));
    return this.#take();
  }

  /** Called when all `bytes` bytes of the file have arrived. Returns the ranges that have not been returned yet. */
  end(bytes: number): readonly HtmlRange[] {
    this.#reach(bytes);
    this.#shown.push(...this.#held);
    this.#held = [];
    return this.#take();
  }

  #begin(name: string, first: number): void {
    this.#reach(first);
    this.#open.push({name, first});
  }

  #close(name: string, isImplied: boolean, end: number): void {
    // if the end tag is missing, `end` is the end of a later tag, which is no part of this element
    if (!isImplied) this.#reach(end);
    const element = this.#open.pop();
    if (isImplied && VOID.has(name)) this.#reach(end);
    if (isImplied || element === undefined) return;
    const from = this.#held.findLastIndex(({first}) => first < element.first) + 1;
    this.#shown.push(...this.#held.splice(from));
  }

  /** Adds the bytes up to `end` to the element that is now open. */
  #reach(end: number): void {
    if (end <= this.#at) return;
    const isFree = this.#open.every(({name}) => PAGE.has(name));
    const range = {first: this.#at, end};
    if (isFree) {
      // Held ranges are also shown, because they belong to elements whose end tags are missing.
      this.#shown.push(...this.#held, range);
      this.#held = [];
    } else this.#held.push(range);
    this.#at = end;
  }

  #take(): readonly HtmlRange[] {
    const shown = joinedRanges(this.#shown);
    this.#shown = [];
    return shown;
  }
}

/** Elements whose direct content is shown as it arrives. */
const PAGE: ReadonlySet<string> = new Set(['html', 'head', 'body']);
/** Elements that never have an end tag (HTML §13.1.2). */
const VOID: ReadonlySet<string> = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
);
