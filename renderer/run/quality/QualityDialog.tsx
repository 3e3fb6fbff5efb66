import {useEffect, useLayoutEffect, useMemo, useRef, useState} from 'react';
import {messageOf} from '../../../app/base/text.ts';
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
  const isMeasuring = useSessionState(state => state.qualityProgress !== null);
  const eye = useEye();
  const dialog = useModal(isOpen);
  return (
    <dialog ref={dialog} className="quality" onClose={() => session.display.closeDialog('quality')}>
      <h2>Quality by bytes</h2>
      {isOpen && run !== null && eye !== null && <Curves run={run} eye={eye} theme={theme} />}
      {isOpen && run !== null && eye === null && (
        <p>
          {isMeasuring
            ? 'measuring pictures…'
            : 'The pictures are not measured: measuring failed, or the panes show different pages.'}
        </p>
      )}
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
  const encoded = twin?.ok === true ? pictures.filter(object => twin.isEncoded(object)).length : 0;
  const baseline = useMemo(
    () => (twin?.ok === true && encoded > 0 ? sharedCurves(twin.quality, pictures) : null),
    [twin, encoded, pictures],
  );
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
        {meansText(ownName, own, thresholds)}{' '}
        {twin === null
          ? 'Making baseline pictures…'
          : baseline === null
            ? `There are no baseline pictures: ${twin.ok ? NONE_ENCODED : twin.message}`
            : meansText('baseline', baseline, thresholds)}
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
        shows it. {baseline !== null && baselineText(pictures.length, encoded)}
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

/** Explains the dashed lines, if only `encoded` of the pictures could be encoded as baseline JPEGs. */
function baselineText(pictures: number, encoded: number): string {
  const without = pictures - encoded;
  return (
    'Dashed lines are baseline JPEGs: this browser has encoded the same pixels again, with about as many bytes. ' +
    'Pictures larger than a screen of 1024 × 768 are made smaller first. Each encoding is compared with its own ' +
    'complete picture.' +
    (without === 0
      ? ''
      : ` ${without} of these ${pictures} pictures ${without === 1 ? 'has' : 'have'} no baseline JPEG, because this ` +
        'browser makes none with about as many bytes. For such a picture, the dashed line equals the solid line.')
  );
}

const NONE_ENCODED = 'this browser makes none of these pictures into a baseline JPEG with about as many bytes';

/** The page's pictures as baseline JPEGs, or why there are none. */
type Twin =
  | {
      readonly ok: true;
      readonly quality: PageQuality;
      /** Whether an object was encoded as a baseline JPEG. Otherwise it is the page's own object. */
      readonly isEncoded: (object: number) => boolean;
    }
  | {readonly ok: false; readonly message: string};

/** Makes the page's pictures into baseline JPEGs and measures their quality. Null until this is done. */
function useTwin(page: ShownRun['page']): Twin | null {
  const [made, setMade] = useState<{readonly hash: string; readonly twin: Twin} | null>(null);
  useEffect(() => {
    const gone = new AbortController();
    const make = async (): Promise<Twin> => {
      const options = {signal: gone.signal, slices: windowSlices};
      const {objects, ...twin} = await baselineTwin(page, options);
      const quality = await measureQuality({...twin, objects}, options);
      return {ok: true, quality, isEncoded: object => objects[object]?.body !== page.objects[object]?.body};
    };
    void make()
      .catch((error: unknown): Twin => ({ok: false, message: messageOf(error)}))
      .then(twin => {
        // after the dialog was closed, there is nothing to show
        if (!gone.signal.aborted) setMade({hash: page.hash, twin});
      });
    return () => gone.abort();
  }, [page]);
  return made?.hash === page.hash ? made.twin : null;
}

/** The size of the picture, CSS px. In a small window it is shown smaller. */
const SIZE = {width: 860, height: 420, fontPx: 14};
