/**
 * A record of how a real browser loaded a page once: what caused each request, and what scripts inserted into the
 * document. A simulated load can follow a recording. `Ref` is the type of references to objects: their numbers in the
 * page (0 is index.html), or their files in a bundle.
 */
export interface Recording<Ref = number> {
  /** Name and version of the browser: `Chrome/156.0.8078.108`. */
  readonly browser: string;
  readonly viewport: {readonly width: number; readonly height: number};
  /** The requests for objects of the page, at most one for each, in the order in which they were made. */
  readonly requests: readonly RecordedRequest<Ref>[];
  /** The HTML that scripts inserted into the document, in document order. */
  readonly insertions: readonly Insertion<Ref>[];
  /** Boxes of the complete page, in CSS pixels from its top left. */
  readonly boxes: readonly RecordedBox<Ref>[];
  /**
   * The number of all requests that the browser made, and the bytes of all their bodies together. Requests for objects
   * that are not part of the page are included.
   */
  readonly all: {readonly requests: number; readonly bytes: number};
}

export interface RecordedRequest<Ref = number> {
  readonly object: Ref;
  readonly cause: RecordedCause<Ref>;
  /** Time that scripts, style and layout took between the cause and the request, ms. */
  readonly cpuMs: number;
  /** Time for which the page's timers waited on purpose, ms. A slower processor does not change it. */
  readonly waitMs: number;
  readonly type: RecordedType;
  /** The priority that the browser gave the request when it was made. */
  readonly priority: RecordedPriority;
  /** Whether nothing is painted before this object has arrived. */
  readonly blocking: boolean;
  /** Time for which this script ran when it was evaluated, ms. 0 for anything else. */
  readonly runMs: number;
}

/** What must have happened before a request is made. */
export type RecordedCause<Ref = number> =
  /** The HTML of this object names the requested object. */
  | {readonly by: 'html'; readonly object: Ref}
  /**
   * This style sheet names the requested object. If `object` is index.html, a style element in it names the requested
   * object.
   */
  | {readonly by: 'style'; readonly object: Ref}
  /** This script made the request when the script was evaluated. */
  | {readonly by: 'script'; readonly object: Ref}
  /** The script element of index.html with this number, from 0, made the request. The element has no file. */
  | {readonly by: 'inline'; readonly script: number}
  /** A script made the request when this answer to a fetch or an XMLHttpRequest had arrived. */
  | {readonly by: 'data'; readonly object: Ref}
  /** A script made the request at this event of the document. */
  | {readonly by: 'load'; readonly event: 'DOMContentLoaded' | 'load'};

export type RecordedType = 'document' | 'style' | 'script' | 'image' | 'font' | 'media' | 'data' | 'other';

/** Chromium's priorities of requests. */
export type RecordedPriority = 'VeryHigh' | 'High' | 'Medium' | 'Low' | 'VeryLow';

/** HTML that a script inserted. */
export interface Insertion<Ref = number> {
  readonly cause: RecordedCause<Ref>;
  /** The byte of index.html before which the HTML was inserted. */
  readonly at: number;
  readonly html: string;
}

/** Where something is shown: a picture, or a text, which has no object. */
export interface RecordedBox<Ref = number> {
  readonly object: Ref | null;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/**
 * Replaces the references to objects in a recording. `named` returns undefined for an object that the page does not
 * have: its own request and its boxes are left out, and what it caused counts as caused by index.html. `index` is the
 * reference to index.html.
 */
export function withReferences<From, To>(
  recording: Recording<From>,
  named: (object: From) => To | undefined,
  index: To,
): Recording<To> {
  const causeOf = (cause: RecordedCause<From>): RecordedCause<To> => {
    if (!('object' in cause)) return cause;
    const object = named(cause.object);
    return object === undefined ? {by: 'html', object: index} : {...cause, object};
  };
  return {
    ...recording,
    requests: recording.requests.flatMap(request => {
      const object = named(request.object);
      return object === undefined ? [] : [{...request, object, cause: causeOf(request.cause)}];
    }),
    insertions: recording.insertions.map(insertion => ({...insertion, cause: causeOf(insertion.cause)})),
    boxes: recording.boxes.flatMap((box): RecordedBox<To>[] => {
      if (box.object === null) return [{...box, object: null}];
      const object = named(box.object);
      return object === undefined ? [] : [{...box, object}];
    }),
  };
}
