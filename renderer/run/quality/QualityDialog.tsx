import {useEffect, useLayoutEffect, useMemo, useRef, useState} from 'react';
import {type PageQuality, picturesOf} from '../../../app/run/quality/pageQuality.ts';
import type {Eye} from '../../../app/run/quality/states.ts';
import {objectColour, type Theme} from '../../kit/objectColours.ts';
import {saveSvg} from '../../kit/savedFile.ts';
import {useModal} from '../../kit/useModal.ts';
import {windowSlices} from '../../kit/windowSlices.ts';
import {useEye, useSession, useSessionState} from '../../session/context.tsx';
import type {ShownRun} from '../../session/loads.ts';
import {PALETTES} from '../timeline/palette.ts';
import {SvgDrawing} from '../timeline/svgDrawing.ts';
import {baselineTwin} from './baselineTwin.ts';
import {meanReachesPercent, type SharedCurve, sharedCurves} from './curves.ts';
import {type CurvesModel, drawCurves} from './drawCurves.ts';
import {measureQuality} from './measureQuality.ts';
import './quality.css';

/** The dialog 'Quality by bytes': how good incomplete pictures look, in their own format and as baseline JPEGs. */
export function QualityDialog({theme}: {readonly theme: Theme}) {
  const session = useSession();
  const isOpen = useSessionState(state => state.view.dialog === 'quality');
  const run = useSessionState(state => state.run);
  const eye = useEye();
  const dialog = useModal(isOpen);
  return (
    <dialog ref={dialog} className="quality" onClose={() => session.display.closeDialog('quality')}>
      <h2>Quality by bytes</h2>
      {isOpen &&
        run !== null &&
        (eye === null ? <p>measuring pictures…</p> : <Curves run={run} eye={eye} theme={theme} />)}
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}

interface CurvesProps {
  readonly run: ShownRun;
  readonly eye: Eye;
  readonly theme: Theme;
}

function Curves({run: {page, traces, scenario}, eye, theme}: CurvesProps) {
  const {hover} = useSession().highlights;
  const hovered = useSessionState(state => state.hovered);
  const version = useSessionState(state => state.version);
  const canvas = useRef<HTMLCanvasElement>(null);
  const twin = useTwin(page);
  const pictures = useMemo(() => {
    const [trace] = traces;
    return trace === undefined ? [] : picturesOf(trace, eye.quality).map(([object]) => object);
  }, [traces, eye]);
  const own = useMemo(() => sharedCurves(eye.quality, pictures), [eye, pictures]);
  const baseline = useMemo(() => twin && sharedCurves(twin, pictures), [twin, pictures]);
  const {thresholds, quality} = eye;
  const isProgressive = pictures.every(object => (quality.objects[object]?.scanEnds.length ?? 0) > 1);
  const ownName = isProgressive ? 'progressive' : 'as served';
  const model: CurvesModel = useMemo(
    () => ({own, baseline, ownName, thresholds, theme, hovered, ...SIZE}),
    [own, baseline, ownName, thresholds, theme, hovered],
  );
  useLayoutEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (canvas.current === null || context == null) return;
    const ratio = window.devicePixelRatio;
    canvas.current.width = SIZE.width * ratio;
    canvas.current.height = SIZE.height * ratio;
    context.scale(ratio, ratio);
    drawCurves(context, model);
  }, [model]);
  if (own.length === 0) return <p>This page has no pictures.</p>;
  const save = () => {
    const svg = new SvgDrawing(SIZE, PALETTES[theme].background);
    drawCurves(svg, {...model, hovered: new Set()});
    const name = `interleave-quality-${scenario.seed}.svg`;
    saveSvg(name, svg.file(), version);
  };
  return (
    <>
      <p className="quality-words">
        {meansText(ownName, own, thresholds)}
        {baseline === null ? ' Making baseline pictures…' : ` ${meansText('baseline', baseline, thresholds)}`}
      </p>
      <canvas ref={canvas} role="img" aria-label="quality by share of the bytes, a line for each picture" />
      <ul className="quality-pictures">
        {pictures.map(object => (
          <li key={object} onMouseEnter={() => hover([object])} onMouseLeave={() => hover([])}>
            <span style={{color: objectColour(object, theme)}}>■</span> {traces[0]?.objects[object]?.url}
          </li>
        ))}
      </ul>
      <p className="note">
        Quality is SSIM: the similarity of an incomplete picture to the complete picture, at the size at which the page
        shows it. Dashed lines are baseline JPEGs: this browser has encoded the same pixels again, with about as many
        bytes. Pictures larger than a screen of 1024 × 768 are made smaller first. Each encoding is compared with its
        own complete picture.
      </p>
      <button type="button" onClick={save}>
        Save as SVG
      </button>
    </>
  );
}

/** For example `Progressive: on average recognisable with 14 % of the bytes, good with 25 %.` */
function meansText(name: string, curves: readonly SharedCurve[], {recognisable, good}: Eye['thresholds']): string {
  const [first, second] = [recognisable, good].map(quality => meanReachesPercent(curves, quality) ?? 100);
  const title = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  return `${title}: on average recognisable with ${first} % of the bytes, good with ${second} %.`;
}

/** The measured quality of the page's pictures as baseline JPEGs. Null until it is measured, or if that fails. */
function useTwin(page: ShownRun['page']): PageQuality | null {
  const [made, setMade] = useState<{readonly hash: string; readonly quality: PageQuality} | null>(null);
  useEffect(() => {
    const gone = new AbortController();
    const make = async () => {
      const options = {signal: gone.signal, slices: windowSlices};
      const quality = await measureQuality(await baselineTwin(page, options), options);
      if (!gone.signal.aborted) setMade({hash: page.hash, quality});
    };
    // an error means that the dialog was closed, or that the browser cannot encode the pictures
    void make().catch(() => undefined);
    return () => gone.abort();
  }, [page]);
  return made?.hash === page.hash ? made.quality : null;
}

/** The size of the picture, CSS px. In a small window it is shown smaller. */
const SIZE = {width: 860, height: 420, fontPx: 14};
