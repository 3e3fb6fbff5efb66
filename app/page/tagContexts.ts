import {Parser} from 'htmlparser2';
import {type HtmlRange, joinedRanges, newByteDecoder} from './htmlRange.ts';

/**
 * Which of an HTML's bytes a browser can show that matches tags (C03 §2), as they come in order: what is between a tag
 * and its end tag from the end tag on, what is within none as it comes. It goes by the innermost pair, or else a page
 * in one element would be shown at once. A tag without its own end tag (HTML §13.1.2.4) belongs to what it is in; html,
 * head and body are the page itself.
 */
export class TagContexts {
  readonly #parser: Parser;
  readonly #decoder = newByteDecoder();
  readonly #open: {readonly name: string; readonly first: number}[] = [];
  /** Not shown, within the first of the open elements and below; in order. */
  #held: HtmlRange[] = [];
  #shown: HtmlRange[] = [];
  /** All before it is shown or held. */
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

  /** Takes the next bytes; gives what can be shown from now on. */
  push(bytes: Uint8Array): readonly HtmlRange[] {
    this.#parser.write(this.#decoder.decode(bytes));
    return this.#take();
  }

  /** All `bytes` are there; gives what is left. */
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
    // without an end tag of its own it ends where what comes next begins
    if (!isImplied) this.#reach(end);
    const element = this.#open.pop();
    if (isImplied && VOID.has(name)) this.#reach(end);
    if (isImplied || element === undefined) return;
    const from = this.#held.findLastIndex(({first}) => first < element.first) + 1;
    this.#shown.push(...this.#held.splice(from));
  }

  /** What comes up to `end` is within what is open now. */
  #reach(end: number): void {
    if (end <= this.#at) return;
    const isFree = this.#open.every(({name}) => PAGE.has(name));
    const range = {first: this.#at, end};
    if (isFree) {
      // of what never got an end tag, too
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

/** The page itself: their text is shown as it comes. */
const PAGE: ReadonlySet<string> = new Set(['html', 'head', 'body']);
/** Elements without an end tag ever (HTML §13.1.2). */
const VOID: ReadonlySet<string> = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
);
