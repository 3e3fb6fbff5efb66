/**
 * Returns the packets of a capture file (pcapng) that this program has just made, in the order in which the file has
 * them. Each packet begins at its IP header and shares the file's memory. The function does not need the native core,
 * because the window, which has no native core, calls it, too. Files from elsewhere are read by `readCapture` of
 * native/addon.
 */
export function capturedPackets(file: Uint8Array): readonly Uint8Array[] {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const packets: Uint8Array[] = [];
  for (let at = 0; at < file.length; at += view.getUint32(at + BLOCK_LENGTH_AT, true)) {
    if (view.getUint32(at, true) !== ENHANCED_PACKET) continue;
    const start = at + PACKET_AT;
    packets.push(file.subarray(start, start + view.getUint32(at + CAPTURED_LENGTH_AT, true)));
  }
  return packets;
}

// draft-ietf-opsawg-pcapng §4.3. The files are written in little-endian order.
const ENHANCED_PACKET = 6;
const BLOCK_LENGTH_AT = 4;
const CAPTURED_LENGTH_AT = 20;
const PACKET_AT = 28;
