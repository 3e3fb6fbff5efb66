// A bundle of its own: places.ts.
export {drawSvg} from '../media/figures/drawFiles.ts';
