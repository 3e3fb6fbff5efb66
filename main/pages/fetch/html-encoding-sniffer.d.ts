// What the gateway uses of it; it brings no types.
declare module 'html-encoding-sniffer' {
  export default function sniffEncoding(
    bytes: Uint8Array,
    options: {transportLayerEncodingLabel?: string; defaultEncoding: string},
  ): string;
}
