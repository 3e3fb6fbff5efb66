import {signedPng} from '../../app/export/signedPng.ts';
import {signedSvg} from '../../app/export/signedSvg.ts';

/** Saves an SVG as a file. The file states the version of the program. */
export function saveSvg(name: string, svg: string, version: string): void {
  const text = signedSvg(svg, `interleave ${version}`);
  saveBytes(name, new TextEncoder().encode(text), 'image/svg+xml');
}

/** Saves a PNG picture as a file. The file states the version of the program. */
export function savePng(name: string, png: Uint8Array, version: string): void {
  saveBytes(name, signedPng(png, `interleave ${version}`), 'image/png');
}

/** Saves bytes as a file, through a download of the browser. */
export function saveBytes(name: string, bytes: Uint8Array, type: string): void {
  const address = URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>], {type}));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
