import {JSDOM} from 'jsdom';
import sharp from 'sharp';
import {signedSvg} from '../../../app/export/signedSvg.ts';
import {drawFigure} from '../../../app/study/figures/draw.ts';
import type {Figure} from '../../../app/study/figures/figure.ts';
import {FIGURE_STYLES} from '../../../app/study/figures/style.ts';
import {program} from '../../files/program.ts';
import {signedPng} from '../../files/signedPicture.ts';

/** The files of a figure, keyed by the endings of their names. */
export interface DrawnFigure {
  readonly svg: {readonly [E in '.svg' | '.screen.svg']: string};
  readonly png: {readonly [E in '.png' | '.screen.png']: Uint8Array};
}

/** Draws a figure in print and in screen style, both as SVG and as PNG (two pixels per CSS px). */
export async function drawFiles(figure: Figure): Promise<DrawnFigure> {
  const [print, screen] = [drawSvg(figure, 'print'), drawSvg(figure, 'screen')];
  const [printPng, screenPng] = await Promise.all([pixelsOf(print), pixelsOf(screen)]);
  return {
    svg: {'.svg': `${print}\n`, '.screen.svg': `${screen}\n`},
    png: {'.png': printPng, '.screen.png': screenPng},
  };
}

/** Draws a figure as an SVG document. */
export function drawSvg(figure: Figure, style: keyof typeof FIGURE_STYLES): string {
  const {document} = new JSDOM('').window;
  return signedSvg(drawFigure(figure, {document, style: FIGURE_STYLES[style]}).outerHTML, program());
}

async function pixelsOf(svg: string): Promise<Uint8Array> {
  return signedPng(await sharp(Buffer.from(svg), {density: DENSITY}).png().toBuffer());
}

/** Resolution of the PNGs in pixels per inch: twice the 72 px per inch that librsvg assumes for an SVG. */
const DENSITY = 144;
