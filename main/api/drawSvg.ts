// This file has its own bundle. places.ts says why.
export {drawSvg} from '../media/figures/drawFiles.ts';
