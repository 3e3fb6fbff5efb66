// The modules that measuring.ts and imageFormats.test.ts load into a browser.
export * from '../renderer/run/panes/decodePicture.ts';
export * from '../renderer/run/quality/measureQuality.ts';
export * from '../renderer/run/quality/ssim.ts';
