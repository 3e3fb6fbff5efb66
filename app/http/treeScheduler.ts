import {MOST_OBJECTS} from '../page/page.ts';
import type {Dependency, ResponseOrder} from './responseOrder.ts';
import type {Scheduled} from './scheduler.ts';

/** How a server uses the dependencies of RFC 7540 §5.3. */
export interface TreeRules {
  /**
   * The order in which streams are served. With `weights` and `newest`, this is the order of streams that depend on the
   * same stream.
   * - `weights`: these streams share the connection in proportion to their weights (RFC 7540 §5.3.2).
   * - `depth`: over the whole connection, streams nearer to the root are first. Among equally near streams, those with
   *   a larger weight are first. Streams that are equal in both take turns.
   * - `newest`: the stream that became dependent last is first, if all weights are equal; otherwise like `weights`.
   */
  readonly siblings: 'weights' | 'depth' | 'newest';
  /** The number of bytes that a stream writes in one turn, where streams take turns. */
  readonly turnBytes: number;
}

/**
 * Orders responses by a tree of dependencies (RFC 7540 §5.3): a stream is served before the streams that depend on it.
 * A stream without a stated dependency depends on the root with weight 16 (§5.3.5). Closed streams stay in the tree, so
 * that later streams can depend on them (§5.3.4).
 */
export class TreeScheduler implements ResponseOrder {
  readonly #rules: TreeRules;
  readonly #root: Node = newNode(0, null, USUAL_WEIGHT);
  readonly #nodes = new Map<number, Node>([[0, this.#root]]);
  /** The streams whose responses wait to be written, in the order in which they were added. */
  readonly #waiting = new Map<number, Waiting>();
  #turns = 0;

  constructor(rules: TreeRules) {
    this.#rules = rules;
  }

  add(id: number, _scheduled: Scheduled): void {
    if (!this.#nodes.has(id)) this.#place(id, {parent: 0, weight: USUAL_WEIGHT, isExclusive: false});
    this.#waiting.set(id, {turnLeft: this.#rules.turnBytes, turn: this.#turns++});
  }

  remove(id: number): void {
    this.#waiting.delete(id);
  }

  /** Does nothing. Servers that use dependencies ignore the priorities of RFC 9218. */
  reprioritize(): void {}

  depend(id: number, dependency: Dependency): void {
    this.#place(id, dependency);
  }

  next(canWrite: (id: number) => boolean): {readonly id: number; readonly mostBytes: number} | undefined {
    const id = this.#firstOf(id => this.#waiting.has(id) && canWrite(id));
    return id === undefined ? undefined : {id, mostBytes: Number.POSITIVE_INFINITY};
  }

  handleWritten(id: number, bytes: number): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    waiting.turnLeft -= bytes;
    if (waiting.turnLeft <= 0) {
      waiting.turnLeft = this.#rules.turnBytes;
      waiting.turn = this.#turns++;
    }
    for (let node = this.#nodes.get(id); node?.parent != null; node = node.parent) node.served += bytes / node.weight;
  }

  /** Returns the first ready stream. Streams that are not in the tree come after all others, and take turns. */
  #firstOf(isReady: (id: number) => boolean): number | undefined {
    const {siblings} = this.#rules;
    return siblings === 'depth'
      ? this.#firstInTurn(isReady, 'depth')
      : (this.#firstBelow(this.#root, isReady) ?? this.#firstInTurn(isReady, 'alike'));
  }

  /** Returns the first ready stream of a subtree: the stream itself, or else one that depends on it. */
  #firstBelow(node: Node, isReady: (id: number) => boolean): number | undefined {
    if (isReady(node.id)) return node.id;
    for (const child of this.#ordered(node.children)) {
      const found = this.#firstBelow(child, isReady);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #ordered(children: readonly Node[]): readonly Node[] {
    if (children.length < 2) return children;
    const isEqual = children.every(({weight}) => weight === children[0]?.weight);
    if (this.#rules.siblings === 'newest' && isEqual) return children.toReversed();
    return children.toSorted((a, b) => a.served - b.served || this.#turnOf(a) - this.#turnOf(b));
  }

  #turnOf({id}: Node): number {
    return this.#waiting.get(id)?.turn ?? 0;
  }

  #firstInTurn(isReady: (id: number) => boolean, by: 'depth' | 'alike'): number | undefined {
    let best: {id: number; depth: number; weight: number; turn: number} | undefined;
    for (const [id, {turn}] of this.#waiting) {
      if (!isReady(id)) continue;
      const node = this.#nodes.get(id);
      const rank = by === 'alike' ? ALIKE : node === undefined ? OUTSIDE : {depth: depthOf(node), weight: node.weight};
      const rival = {id, turn, ...rank};
      if (best === undefined || isBefore(rival, best)) best = rival;
    }
    return best?.id;
  }

  #place(id: number, {parent: parentId, weight, isExclusive}: Dependency): void {
    // A dependency on a stream that is not in the tree is a dependency on the root (RFC 7540 §5.3.1). So is a stream's
    // dependency on itself, which is not allowed.
    const parent = (parentId === id ? undefined : this.#nodes.get(parentId)) ?? this.#root;
    let node = this.#nodes.get(id);
    if (node === undefined) {
      if (this.#nodes.size > MOST_STREAMS) return;
      node = newNode(id, parent, weight);
      this.#nodes.set(id, node);
    } else {
      // RFC 7540 §5.3.3: if a stream becomes dependent on one of its own dependents, that dependent first takes the
      // stream's place in the tree.
      if (isBelow(parent, node)) this.#move(parent, node.parent ?? this.#root);
      this.#detach(node);
    }
    node.weight = weight;
    if (isExclusive) {
      for (const child of [...parent.children]) if (child !== node) this.#move(child, node);
    }
    this.#attach(node, parent);
  }

  #move(node: Node, parent: Node): void {
    this.#detach(node);
    this.#attach(node, parent);
  }

  #detach(node: Node): void {
    const siblings = node.parent?.children;
    if (siblings?.includes(node)) siblings.splice(siblings.indexOf(node), 1);
  }

  #attach(node: Node, parent: Node): void {
    node.parent = parent;
    // A stream starts with at least the smallest `served` of its new siblings, as if it had taken part from the start.
    const least = parent.children.reduce((min, {served}) => Math.min(min, served), Number.POSITIVE_INFINITY);
    if (least !== Number.POSITIVE_INFINITY) node.served = Math.max(node.served, least);
    parent.children.push(node);
  }
}

function isBefore(
  a: {readonly depth: number; readonly weight: number; readonly turn: number},
  b: {readonly depth: number; readonly weight: number; readonly turn: number},
): boolean {
  if (a.depth !== b.depth) return a.depth < b.depth;
  return a.weight !== b.weight ? a.weight > b.weight : a.turn < b.turn;
}

function depthOf(node: Node): number {
  let depth = 0;
  for (let each = node.parent; each != null; each = each.parent) depth += 1;
  return depth;
}

function isBelow(node: Node, above: Node): boolean {
  for (let each: Node | null = node; each !== null; each = each.parent) if (each === above) return true;
  return false;
}

interface Node {
  readonly id: number;
  parent: Node | null;
  weight: number;
  readonly children: Node[];
  /**
   * The bytes that were written of this stream and of those below it, divided by the weight. The count begins at the
   * smallest count of the stream's siblings, or at 0 without siblings.
   */
  served: number;
}

interface Waiting {
  turnLeft: number;
  /** The number of the stream's next turn. Among equal streams, the one with the lowest number is next. */
  turn: number;
}

function newNode(id: number, parent: Node | null, weight: number): Node {
  return {id, parent, weight, children: [], served: 0};
}

/** The rank of all streams if neither depth nor weight counts. */
const ALIKE = {depth: 0, weight: 0};
/** If `siblings` is `depth`: the rank of a stream that is not in the tree. */
const OUTSIDE = {depth: Number.POSITIVE_INFINITY, weight: 0};
/** The weight of a stream that states none (RFC 7540 §5.3.5). */
const USUAL_WEIGHT = 16;
/**
 * The largest number of streams that the tree holds, not counting the root. Later streams are not added to it, and are
 * served after the streams in it. A load requests each object of its page once.
 */
const MOST_STREAMS = MOST_OBJECTS;
