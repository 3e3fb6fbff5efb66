// The modules that paneScreens.ts loads into a browser.
export {decodeToPixels} from '../renderer/run/panes/decodePicture.ts';
export {PageView} from '../renderer/run/panes/pageView.ts';
