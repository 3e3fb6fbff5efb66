/** A rectangle, CSS px of the frame. */
export interface Area {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** How a picture is painted into its box. */
export interface ShownPicture {
  /** The size of the visible part, CSS px. */
  readonly size: {readonly width: number; readonly height: number};
  /**
   * Where the complete picture is drawn, relative to the visible part. It exceeds that part if the picture is cut off.
   */
  readonly drawn: {readonly x: number; readonly y: number; readonly width: number; readonly height: number};
  /** The colour behind the picture, as CSS. */
  readonly background: string;
}

/** How the loaded picture of an element is painted, and the position of its visible part in the frame. */
export function shownPicture(box: HTMLImageElement): {readonly shown: ShownPicture; readonly at: Area} {
  const style = getComputedStyle(box);
  const outer = box.getBoundingClientRect();
  // a transform also scales borders and padding
  const [scaleX, scaleY] = [outer.width / (box.offsetWidth || 1), outer.height / (box.offsetHeight || 1)];
  const left = outer.left + scaleX * (px(style.borderLeftWidth) + px(style.paddingLeft));
  const right = outer.right - scaleX * (px(style.borderRightWidth) + px(style.paddingRight));
  const top = outer.top + scaleY * (px(style.borderTopWidth) + px(style.paddingTop));
  const bottom = outer.bottom - scaleY * (px(style.borderBottomWidth) + px(style.paddingBottom));
  const room = {width: Math.max(right - left, 0), height: Math.max(bottom - top, 0)};
  const natural = {width: box.naturalWidth * scaleX, height: box.naturalHeight * scaleY};
  const {width, height} = fitted(style.objectFit, room, natural);
  const [x, y] = placed(style.objectPosition, room.width - width, room.height - height);
  const [seenX, seenY] = [Math.max(x, 0), Math.max(y, 0)];
  const size = {
    width: Math.max(Math.min(x + width, room.width) - seenX, 0),
    height: Math.max(Math.min(y + height, room.height) - seenY, 0),
  };
  const at = {
    left: left + seenX,
    top: top + seenY,
    right: left + seenX + size.width,
    bottom: top + seenY + size.height,
  };
  const drawn = {x: x - seenX, y: y - seenY, width, height};
  return {shown: {size, drawn, background: backgroundOf(box)}, at};
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The size at which a picture is drawn in its box (CSS Images 3 §5.5). */
function fitted(objectFit: string, room: Size, natural: Size): Size {
  if (objectFit === 'fill' || natural.width === 0 || natural.height === 0) return room;
  const ratios = [room.width / natural.width, room.height / natural.height] as const;
  const contain = Math.min(...ratios);
  const scale =
    objectFit === 'cover'
      ? Math.max(...ratios)
      : objectFit === 'none'
        ? 1
        : objectFit === 'scale-down'
          ? Math.min(contain, 1)
          : contain;
  return {width: natural.width * scale, height: natural.height * scale};
}

/**
 * Where a picture is drawn in its box. `objectPosition` is a value like `50% 50%` or `0px 10%`. Percentages are shares
 * of the free room. For any other value, such as `calc()`, the picture is in the middle.
 */
function placed(objectPosition: string, freeX: number, freeY: number): readonly [number, number] {
  const parts = /^(-?[\d.]+)(px|%) (-?[\d.]+)(px|%)$/.exec(objectPosition);
  if (parts === null) return [freeX / 2, freeY / 2];
  const [, x, unitX, y, unitY] = parts;
  const offset = (value: string | undefined, unit: string | undefined, free: number): number =>
    unit === '%' ? (Number(value) / 100) * free : Number(value);
  return [offset(x, unitX, freeX), offset(y, unitY, freeY)];
}

/** The nearest opaque background colour behind a box, by default white. Background pictures are ignored. */
function backgroundOf(box: Element): string {
  for (let each: Element | null = box; each !== null; each = each.parentElement) {
    const {backgroundColor} = getComputedStyle(each);
    if (backgroundColor.startsWith('rgb(')) return backgroundColor;
  }
  return 'white';
}

function px(length: string): number {
  return Number.parseFloat(length) || 0;
}

export function areaOf({left, top, right, bottom}: Area): number {
  return Math.max(right - left, 0) * Math.max(bottom - top, 0);
}

/** The rectangle that two rectangles have in common. If they do not overlap, its area ({@link areaOf}) is 0. */
export function overlap(a: Area, b: Area): Area {
  return {
    left: Math.max(a.left, b.left),
    top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom),
  };
}
