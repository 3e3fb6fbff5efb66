// The package has no types. This declares the function that the gateway uses.
declare module 'html-encoding-sniffer' {
  export default function sniffEncoding(
    bytes: Uint8Array,
    options: {transportLayerEncodingLabel?: string; defaultEncoding: string},
  ): string;
}
