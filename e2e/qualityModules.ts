// What quality.test.ts and the goldens' maker take into a browser.
export * from '../renderer/panes/decodePicture.ts';
export * from '../renderer/quality/measureQuality.ts';
export * from '../renderer/quality/ssim.ts';
