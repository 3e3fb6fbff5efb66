/** Whether two pictures are equal, pixel by pixel. */
export async function hasSamePixels(one: Uint8Array, other: Uint8Array): Promise<boolean> {
  const {default: sharp} = await import('sharp');
  const [before, after] = await Promise.all([one, other].map(each => sharp(each).ensureAlpha().raw().toBuffer()));
  return before !== undefined && after?.equals(before) === true;
}
