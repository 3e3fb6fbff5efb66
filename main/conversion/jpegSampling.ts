/**
 * How a JPEG's colours are to be sampled so that none are lost, of the two ways that sharp has: `4:2:0` only where they
 * have half of the pixels already, both ways. libvips tells 4:2:2 and some 4:4:4 as 4:2:0, too.
 */
export function jpegSampling(bytes: Uint8Array): '4:4:4' | '4:2:0' {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 2; at + FACTORS_END <= bytes.length && bytes[at] === 0xff; at += 2 + view.getUint16(at + 2)) {
    if (!FRAMES.has(bytes[at + 1] ?? 0)) continue;
    // grey has one component, and no colours to lose
    if (bytes[at + 9] !== 3) return '4:2:0';
    const [luma = 0, ...chroma] = [11, 14, 17].map(place => bytes[at + place] ?? 0);
    return luma === 0x22 && chroma.every(factors => factors === 0x11) ? '4:2:0' : '4:4:4';
  }
  return '4:4:4';
}

/** SOF's of Huffman coding (ITU T.81 §B.2.2): baseline, extended, progressive. */
const FRAMES: ReadonlySet<number> = new Set([0xc0, 0xc1, 0xc2]);

/** Bytes from a marker to the end of a frame header's third factors. */
const FACTORS_END = 18;
