// The package has no types of its own. This is what the gateway uses of it.
declare module 'html-encoding-sniffer' {
  export default function sniffEncoding(
    bytes: Uint8Array,
    options: {transportLayerEncodingLabel?: string; defaultEncoding: string},
  ): string;
}
