import type {Size} from './pageFit.ts';

/**
 * An image's own size by its header, px; undefined for what is none of PNG, GIF, JPEG and WebP, or is cut short.
 * A browser turns a JPEG as its Exif data say: that is left aside.
 */
export function imageSize(body: Uint8Array): Size | undefined {
  if (body.length < 12) return undefined;
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  try {
    if (view.getUint32(0) === 0x89504e47) return sized(view.getUint32(16), view.getUint32(20));
    if (view.getUint32(0) === 0x47494638) return sized(view.getUint16(6, true), view.getUint16(8, true));
    if (view.getUint16(0) === 0xffd8) return jpegSize(view);
    const isWebp = view.getUint32(0) === 0x52494646 && view.getUint32(8) === 0x57454250;
    return isWebp ? webpSize(view) : undefined;
  } catch (error) {
    // beyond the end
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Of the frame header (ITU-T T.81 §B.2.2), behind segments that are passed over by their lengths. */
function jpegSize(view: DataView): Size | undefined {
  for (let at = 2; ; at += 2 + view.getUint16(at + 2)) {
    // fill bytes (§B.1.1.2)
    while (view.getUint8(at) === 0xff && view.getUint8(at + 1) === 0xff) at += 1;
    const marker = view.getUint16(at);
    if (marker < 0xff01) return undefined;
    // SOF0 to SOF15, but for DHT, JPG and DAC, which stand among them
    const isFrame = marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker);
    if (isFrame) return sized(view.getUint16(at + 7), view.getUint16(at + 5));
  }
}

/** RFC 9649 §2.5 to 2.7. */
function webpSize(view: DataView): Size | undefined {
  const chunk = view.getUint32(12);
  const uint24 = (at: number): number => view.getUint16(at, true) + 0x10000 * view.getUint8(at + 2);
  if (chunk === VP8X) return sized(uint24(24) + 1, uint24(27) + 1);
  if (chunk === VP8) return sized(view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff);
  if (chunk !== VP8L) return undefined;
  const bits = view.getUint32(21, true);
  return sized((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
}

const VP8X = 0x56503858;
const VP8 = 0x56503820;
const VP8L = 0x5650384c;

function sized(width: number, height: number): Size | undefined {
  return width > 0 && height > 0 ? {width, height} : undefined;
}
