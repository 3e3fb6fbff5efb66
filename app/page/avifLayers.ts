/**
 * Returns the byte offsets at which the layers of a layered AVIF are complete, ascending (AV1 Image File Format,
 * LayeredImageIndexing). Each layer shows the whole picture, in better quality than the one before. The list is empty
 * if the file has no layers or an unsupported form, or if its list of items has not arrived yet.
 */
export function layerEnds(body: Uint8Array): readonly number[] {
  return layoutOf(body)?.ends ?? [];
}

/**
 * Converts a prefix of a layered AVIF into a file that holds only the complete layers. Chromium paints the layers of a
 * file that is still loading, but rejects the same bytes as a complete file. The prefix is returned unchanged if {@link
 * layerEnds} finds no layers in it, if no layer is complete, or if all layers are complete.
 */
export function wholeLayers(prefix: Uint8Array): Uint8Array {
  const layout = layoutOf(prefix);
  const whole = layout?.ends.filter(end => end <= prefix.length).length ?? 0;
  if (layout === undefined || whole === 0 || whole === layout.ends.length) return prefix;
  const made = prefix.slice();
  // The type of each 'a1lx' box becomes 'free'. No property has this type, so the file no longer announces further
  // layers.
  for (const at of layout.indexesAt) made.set(FREE, at);
  const view = new DataView(made.buffer);
  let to = layout.items[0]?.first ?? 0;
  for (const item of layout.items) {
    const {extents} = item.layerBytes.length === 0 ? item : {extents: firstExtents(item, whole)};
    const head = item.extentsAt - item.first;
    made.set(prefix.subarray(item.first, item.extentsAt), to);
    view.setUint16(to + head - COUNT_BYTES, extents.length);
    to += head;
    for (const {at, bytes, length} of extents) {
      made.set(prefix.subarray(at, at + bytes), to);
      to += bytes;
      view.setUint32(to - LENGTH_BYTES, length);
    }
  }
  return made;
}

/**
 * An item of the file according to its entry in 'iloc' (ISO/IEC 14496-12 §8.11.3). `first` is the byte offset of that
 * entry in the file, and `extentsAt` the byte offset of the list of extents in the entry.
 */
interface Item {
  readonly first: number;
  readonly extentsAt: number;
  readonly extents: readonly Extent[];
  /** The size of the item's data in bytes up to the end of each layer. The list is empty for an item without layers. */
  readonly layerBytes: readonly number[];
}

interface Extent {
  /** Byte offset of the extent's entry in 'iloc', and the length of this entry. */
  readonly at: number;
  readonly bytes: number;
  /** Byte offset of the extent's data in the file, and the length of the data. */
  readonly from: number;
  readonly length: number;
}

interface Layout {
  readonly items: readonly Item[];
  /** The offset at which each layer is complete in all items ({@link layerEnds}). */
  readonly ends: readonly number[];
  /** Byte offset of the type field of each 'a1lx' box (LayeredImageIndexing). */
  readonly indexesAt: readonly number[];
}

function layoutOf(body: Uint8Array): Layout | undefined {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  try {
    const meta = find(view, {start: 0, end: body.length}, 'meta');
    const inMeta = meta && {start: meta.start + FULL_BOX, end: meta.end};
    const [places, properties] = [inMeta && find(view, inMeta, 'iloc'), inMeta && find(view, inMeta, 'iprp')];
    const list = properties && find(view, properties, 'ipco');
    const uses = properties && find(view, properties, 'ipma');
    if (places === undefined || list === undefined || uses === undefined) return undefined;
    const indexes = [...boxes(view, list)].flatMap((box, i) => (box.type === 'a1lx' ? [{box, property: i + 1}] : []));
    const sizes = new Map(indexes.map(({box, property}) => [property, layerSizes(view, box)]));
    const items = itemsOf(view, places, sizesByItem(view, uses, sizes));
    const layered = items.filter(({layerBytes}) => layerBytes.length > 1);
    if (layered.length === 0) return undefined;
    return {items, ends: endsOf(layered), indexesAt: indexes.map(({box}) => box.start - TYPE_BYTES)};
  } catch (error) {
    // The file is incomplete or has an unsupported form.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Yields the type and the content range of each box (ISO/IEC 14496-12 §4.2). Stops at a box that reaches beyond `end`
 * or does not state its size in 32 bits.
 */
function* boxes(view: DataView, {start, end}: Span): Generator<Span & {readonly type: string}> {
  for (let at = start; at + 8 <= end; ) {
    const bytes = view.getUint32(at);
    if (bytes < 8 || at + bytes > end) return;
    const type = String.fromCharCode(...[4, 5, 6, 7].map(i => view.getUint8(at + i)));
    yield {type, start: at + 8, end: at + bytes};
    at += bytes;
  }
}

function find(view: DataView, span: Span, type: string): Span | undefined {
  for (const box of boxes(view, span)) if (box.type === type) return box;
  return undefined;
}

/**
 * Reads an 'a1lx' box. Returns the sizes of all layers but the last, at most three. In the box, a list of fewer than
 * three sizes ends with a zero.
 */
function layerSizes(view: DataView, {start}: Span): readonly number[] {
  const isLarge = (view.getUint8(start) & 1) === 1;
  const sizes = [0, 1, 2].map(i => (isLarge ? view.getUint32(start + 1 + 4 * i) : view.getUint16(start + 1 + 2 * i)));
  const zero = sizes.indexOf(0);
  return zero < 0 ? sizes : sizes.slice(0, zero);
}

/**
 * Reads 'ipma', which assigns properties to items (ISO/IEC 23008-12 §9.3.1). Returns the layer sizes of each item that
 * has them. `sizes` maps each property to its layer sizes.
 */
function sizesByItem(
  view: DataView,
  {start}: Span,
  sizes: ReadonlyMap<number, readonly number[]>,
): ReadonlyMap<number, readonly number[]> {
  const byItem = new Map<number, readonly number[]>();
  const [hasLongIds, hasLongIndexes] = [view.getUint8(start) > 0, (view.getUint8(start + 3) & 1) === 1];
  let at = start + FULL_BOX + 4;
  for (let entries = view.getUint32(start + FULL_BOX); entries > 0; entries--) {
    const item = hasLongIds ? view.getUint32(at) : view.getUint16(at);
    at += hasLongIds ? 4 : 2;
    const uses = view.getUint8(at);
    at += 1;
    for (let use = 0; use < uses; use++) {
      const property = hasLongIndexes ? view.getUint16(at) & 0x7fff : view.getUint8(at) & 0x7f;
      at += hasLongIndexes ? 2 : 1;
      const layers = sizes.get(property);
      if (layers !== undefined) byItem.set(item, layers);
    }
  }
  return byItem;
}

/** Reads 'iloc'. @throws RangeError if its entries are incomplete, or have a form that no encoder uses for layers. */
function itemsOf(view: DataView, {start}: Span, layers: ReadonlyMap<number, readonly number[]>): readonly Item[] {
  const version = view.getUint8(start);
  const fields = view.getUint16(start + FULL_BOX);
  const [offsetBytes, lengthBytes, baseBytes, indexBytes] = [12, 8, 4, 0].map(shift => (fields >> shift) & 15);
  if (offsetBytes !== 4 || lengthBytes !== LENGTH_BYTES) throw new RangeError('unsupported field sizes in iloc');
  const hasLongIds = version === 2;
  let at = start + FULL_BOX + 2;
  const count = hasLongIds ? view.getUint32(at) : view.getUint16(at);
  at += hasLongIds ? 4 : 2;
  const items: Item[] = [];
  for (let i = 0; i < count; i++) {
    const first = at;
    const id = hasLongIds ? view.getUint32(at) : view.getUint16(at);
    at += hasLongIds ? 4 : 2;
    // Construction methods other than 0 mean that the item's data are in another box or item.
    if (version > 0 && (view.getUint16(at) & 15) !== 0) throw new RangeError('unsupported construction method in iloc');
    at += (version > 0 ? 2 : 0) + 2;
    const base = baseBytes === 4 ? view.getUint32(at) : 0;
    at += baseBytes ?? 0;
    const extentCount = view.getUint16(at);
    at += COUNT_BYTES;
    const extentsAt = at;
    const bytes = (version > 0 ? (indexBytes ?? 0) : 0) + offsetBytes + LENGTH_BYTES;
    const extents: Extent[] = [];
    for (let k = 0; k < extentCount; k++, at += bytes) {
      const places = at + bytes - LENGTH_BYTES;
      extents.push({at, bytes, from: base + view.getUint32(places - 4), length: view.getUint32(places)});
    }
    items.push({first, extentsAt, extents, layerBytes: sums(layers.get(id) ?? [], extents)});
  }
  return items;
}

/**
 * Returns the offset at which each layer ends in the item's data. `sizes` lacks the last layer, which holds the rest of
 * the data.
 */
function sums(sizes: readonly number[], extents: readonly Extent[]): readonly number[] {
  if (sizes.length === 0) return [];
  const all = extents.reduce((sum, {length}) => sum + length, 0);
  const ends = sizes.map((_, i) => sizes.slice(0, i + 1).reduce((sum, size) => sum + size, 0));
  return [...ends.filter(end => end < all), all];
}

/**
 * Returns the extents that hold the item's first `layers` layers. The last extent is shortened to the end of the last
 * of these layers.
 */
function firstExtents({extents, layerBytes}: Item, layers: number): readonly Extent[] {
  let left = layerBytes[Math.min(layers, layerBytes.length) - 1] ?? 0;
  const first: Extent[] = [];
  for (const extent of extents) {
    if (left <= 0) break;
    first.push({...extent, length: Math.min(extent.length, left)});
    left -= extent.length;
  }
  return first;
}

/** Returns the offset in the file at which each layer is complete in all items that have layers. */
function endsOf(items: readonly Item[]): readonly number[] {
  const layers = Math.max(...items.map(({layerBytes}) => layerBytes.length));
  return Array.from({length: layers}, (_, i) =>
    Math.max(...items.flatMap(item => firstExtents(item, i + 1).map(({from, length}) => from + length))),
  );
}

const FREE = Uint8Array.from('free', letter => letter.charCodeAt(0));

/** Size of a box's version and flags, in bytes. */
const FULL_BOX = 4;
const TYPE_BYTES = 4;
const COUNT_BYTES = 2;
const LENGTH_BYTES = 4;
