// What quality.test.ts and the goldens' maker take into a browser.
export * from '../renderer/run/panes/decodePicture.ts';
export * from '../renderer/run/quality/measureQuality.ts';
export * from '../renderer/run/quality/ssim.ts';
