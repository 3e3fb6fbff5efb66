// This file has its own bundle, because it loads jsdom, which takes long (DRAW_SVG in places.ts).
export {drawSvg} from '../media/figures/drawFiles.ts';
