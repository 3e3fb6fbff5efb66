import {join} from 'node:path';
import type {Figure} from '../../../app/study/figures/figure.ts';
import {figureTable} from '../../../app/study/figures/figureTable.ts';
import type {ReportFigure} from '../../../app/study/report/html.ts';
import {reportHtml} from '../../../app/study/report/html.ts';
import type {Report} from '../../../app/study/report/report.ts';
import {makeFolder} from '../../files/makeFolder.ts';
import {writeWhole} from '../../files/outputFile.ts';
import {program} from '../../files/program.ts';
import {inThreads} from '../../workers/inThreads.ts';
import type {DrawnFigure} from './drawFiles.ts';

export interface FigureWriting {
  /** The bundled module `figureWorker.ts`. */
  readonly worker: URL;
  /** How many threads to use. */
  readonly jobs: number;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, all: number) => void;
}

/**
 * Writes `report.html` into a folder, and the report's figures into the subfolder `figures`. Each figure is written as
 * SVG and PNG, both in print and in screen style, together with its data.
 * @throws FileError
 */
export async function writeReport(out: string, report: Report, writing: FigureWriting): Promise<void> {
  const figures = figuresOf(report);
  const drawn = await writeFigures(join(out, FIGURES), figures, writing);
  const html = reportHtml(report, {
    program: program(),
    figureOf: name => drawn.get(name) ?? {svg: '', files: []},
  });
  await writeWhole(join(out, REPORT), Buffer.from(html), writing.signal);
}

/** Lists the figures of a report. Each is listed once, even if the report shows it several times. */
function figuresOf({sections}: Report): readonly Figure[] {
  const figures = sections.flatMap(({parts}) => parts.flatMap(part => (part.kind === 'figure' ? [part.figure] : [])));
  const byName = new Map(figures.map(figure => [figure.name, figure]));
  if ([...byName.values()].length !== new Set(figures).size) {
    throw new RangeError('invalid figures: two have the same name');
  }
  return [...byName.values()];
}

/** Writes the files of the figures. Returns what the report shows of each figure, keyed by the figure's name. */
async function writeFigures(
  folder: string,
  figures: readonly Figure[],
  {worker, jobs, signal, onProgress}: FigureWriting,
): Promise<ReadonlyMap<string, ReportFigure>> {
  const shown = new Map<string, ReportFigure>();
  if (figures.length === 0) return shown;
  makeFolder(folder);
  const waiting = [...figures];
  const files: Promise<void>[] = [];
  let failure: unknown;
  await inThreads<Figure, DrawnFigure>({
    next: () => waiting.shift(),
    onAnswer: ({svg, png}) => {
      if (failure !== undefined) throw failure;
      const figure = figures[shown.size];
      if (figure === undefined) return;
      const {name} = figure;
      const contents = {...svg, ...png, '.csv': figureTable(figure)};
      for (const [end, content] of Object.entries(contents)) {
        const written = writeWhole(join(folder, `${name}${end}`), Buffer.from(content), signal);
        written.catch(error => {
          failure ??= error;
        });
        files.push(written);
      }
      shown.set(name, {svg: svg['.svg'], files: linksOf(name, Object.keys(contents))});
      onProgress(shown.size, figures.length);
    },
    worker,
    workerData: null,
    threads: jobs,
    signal,
  });
  await Promise.all(files);
  return shown;
}

function linksOf(name: string, ends: readonly string[]): ReportFigure['files'] {
  return ends.map(end => ({name: end.slice(1), path: `${FIGURES}/${name}${end}`}));
}

/** Name of the report in its folder. */
export const REPORT = 'report.html';
export const FIGURES = 'figures';
