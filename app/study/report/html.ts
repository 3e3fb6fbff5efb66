import {escapeMarkup} from '../../base/text.ts';
import type {Report, ReportCell, ReportPart, ReportTable} from './report.ts';

/** A figure drawn for the page, with the paths of its files. */
export interface ReportFigure {
  readonly svg: string;
  readonly files: readonly {readonly name: string; readonly path: string}[];
}

/** The drawn figures, and the name of the program that makes the page. */
export interface ReportMaking {
  /** Returns a figure by its name. */
  readonly figureOf: (name: string) => ReportFigure;
  /** The program that makes the page, like `interleave 0.1.0 (abc1234)`. */
  readonly program: string;
}

/** A report as a self-contained HTML page. It has no scripts and fetches nothing. */
export function reportHtml(report: Report, {figureOf, program}: ReportMaking): string {
  const sections = report.sections.map(({heading, parts}, i) => {
    const body = parts.map(part => partHtml(part, figureOf)).join('\n');
    return `<section id="${idOf(i)}"><h2>${escapeMarkup(heading)}</h2>\n${body}\n</section>`;
  });
  const contents = report.sections.map(({heading}, i) => `<li><a href="#${idOf(i)}">${escapeMarkup(heading)}</a></li>`);
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta name="generator" content="${escapeMarkup(program)}">`,
    `<title>${escapeMarkup(report.title)}</title>`,
    `<style>${STYLE}</style></head><body><main>`,
    `<h1>${escapeMarkup(report.title)}</h1>`,
    ...report.lead.map(text => `<p>${escapeMarkup(text)}</p>`),
    ...(contents.length > 1 ? [`<nav><ol>${contents.join('')}</ol></nav>`] : []),
    ...sections,
    `<footer><p>Made by ${escapeMarkup(program)}.</p></footer>`,
    '</main></body></html>\n',
  ].join('\n');
}

function partHtml(part: ReportPart, figureOf: (name: string) => ReportFigure): string {
  switch (part.kind) {
    case 'text':
      return `<p>${escapeMarkup(part.text)}</p>`;
    case 'command':
      return `<pre><code>${escapeMarkup(part.command)}</code></pre>`;
    case 'document':
      return `<details><summary>${escapeMarkup(part.name)}</summary><pre>${escapeMarkup(part.text)}</pre></details>`;
    case 'table':
      return tableHtml(part.table);
    case 'figure': {
      const {svg, files} = figureOf(part.figure.name);
      const links = files.map(({name, path}) => `<a href="${escapeMarkup(path)}">${escapeMarkup(name)}</a>`);
      return `<figure>${svg}<figcaption>${links.join(' ')}</figcaption></figure>`;
    }
  }
}

function tableHtml({caption, columns, rows}: ReportTable): string {
  const cell = (tag: 'th' | 'td', text: string, at: number, more = ''): string => {
    const isRight = columns[at]?.align === 'right';
    return `<${tag}${isRight ? ' class="number"' : ''}${more}>${text}</${tag}>`;
  };
  const head = columns.map(({name}, at) => cell('th', escapeMarkup(name), at, ' scope="col"')).join('');
  const body = rows.map(row => `<tr>${row.map((each, at) => cell('td', cellHtml(each), at)).join('')}</tr>`);
  return [
    `<p class="caption">${escapeMarkup(caption)}</p>`,
    `<div class="wide"><table aria-label="${escapeMarkup(caption)}">`,
    `<thead><tr>${head}</tr></thead>`,
    `<tbody>${body.join('\n')}</tbody></table></div>`,
  ].join('\n');
}

function cellHtml(cell: ReportCell): string {
  return typeof cell === 'string' ? escapeMarkup(cell) : `<b class="${cell.verdict}">${cell.verdict}</b>`;
}

function idOf(section: number): string {
  return `section-${section + 1}`;
}

/** The style sheet for screens and for print. */
const STYLE = `
:root { color-scheme: light; font: 15px/1.5 system-ui, "Segoe UI", "Helvetica Neue", Arial, sans-serif; }
body { margin: 0; color: #16191d; background: #ffffff; }
main { max-width: 76em; margin: 0 auto; padding: 2em 1.5em 4em; }
h1 { font-size: 1.7em; line-height: 1.2; }
h2 { font-size: 1.25em; margin-top: 2.2em; border-top: 1px solid #d3d7dc; padding-top: 0.8em; }
p { max-width: 52em; }
nav ol { columns: 2 22em; padding-left: 1.4em; }
a { color: #1a5fb4; }
pre { padding: 0.6em 0.9em; overflow-x: auto; background: #f3f4f6; }
figure { margin: 1.6em 0; break-inside: avoid; }
figure svg { max-width: 100%; height: auto; }
figcaption { font-size: 0.85em; }
figcaption a { margin-right: 0.8em; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: 0.4em 0 1.2em; font-size: 0.87em; font-variant-numeric: tabular-nums; }
.caption { font-weight: 600; margin: 1.4em 0 0; }
th, td { padding: 0.25em 0.55em; text-align: left; vertical-align: top; border-bottom: 1px solid #d3d7dc; }
th { border-bottom: 2px solid #868e98; }
.number { text-align: right; }
td.number { white-space: nowrap; }
.agrees { color: #14663b; }
.differs { color: #b3261e; }
.open { color: #5a626c; }
@media print { .wide { overflow: visible; } table { font-size: 0.6em; } }
`;
