// What realPages.test.ts takes into a browser.
export {decodeToPixels} from '../renderer/panes/decodePicture.ts';
export {PageView} from '../renderer/panes/pageView.ts';
