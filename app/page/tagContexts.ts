import {Parser} from 'htmlparser2';
import {type HtmlRange, joinedRanges, newByteDecoder} from './htmlRange.ts';

/**
 * Tells which bytes of an HTML file a tag-matching browser (C03 §2) can show as they arrive in order. Content of an
 * element is shown when its end tag arrives; content outside all elements is shown at once. The innermost element
 * decides, since otherwise a page in one element would appear all at once. A tag without an end tag of its own (HTML
 * §13.1.2.4) belongs to the element around it. The elements html, head and body count as the page itself.
 */
export class TagContexts {
  readonly #parser: Parser;
  readonly #decoder = newByteDecoder();
  readonly #open: {readonly name: string; readonly first: number}[] = [];
  /** Ranges that are not shown yet, in order. All lie within the outermost open element. */
  #held: HtmlRange[] = [];
  #shown: HtmlRange[] = [];
  /** All bytes before this one are shown or held. */
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

  /** Takes the next bytes. Returns the ranges that can be shown from now on. */
  push(bytes: Uint8Array): readonly HtmlRange[] {
    this.#parser.write(this.#decoder.decode(bytes));
    return this.#take();
  }

  /** Tells that all `bytes` have arrived. Returns the remaining ranges. */
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
    // An element without an end tag ends where the next tag begins.
    if (!isImplied) this.#reach(end);
    const element = this.#open.pop();
    if (isImplied && VOID.has(name)) this.#reach(end);
    if (isImplied || element === undefined) return;
    const from = this.#held.findLastIndex(({first}) => first < element.first) + 1;
    this.#shown.push(...this.#held.splice(from));
  }

  /** The bytes up to `end` belong to the element that is open now. */
  #reach(end: number): void {
    if (end <= this.#at) return;
    const isFree = this.#open.every(({name}) => PAGE.has(name));
    const range = {first: this.#at, end};
    if (isFree) {
      // This includes content of elements whose end tag never came.
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

/** Text directly in these elements is shown as it arrives. */
const PAGE: ReadonlySet<string> = new Set(['html', 'head', 'body']);
/** Elements that never have an end tag (HTML §13.1.2). */
const VOID: ReadonlySet<string> = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
);
