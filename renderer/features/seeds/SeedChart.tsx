import {type KeyboardEvent, type MouseEvent, memo, useId, useMemo, useRef, useState} from 'react';
import type {SeedRow} from '../../../app/host/contract.ts';
import {useSize} from '../../kit/useSize.ts';
import {
  type Chart,
  type ChartRow,
  type Dot,
  type DotPlace,
  dotBeside,
  dotNear,
  firstDot,
  layOutChart,
} from './chart.ts';
import {chartText, dotText, rowText} from './chartText.ts';
import type {Measure} from './measures.ts';

interface SeedChartProps {
  readonly rows: readonly SeedRow[];
  /** The names of the panes. */
  readonly names: readonly string[];
  readonly measure: Measure;
  /** The run on screen. Its seed may be one of the rows' seeds or another seed. */
  readonly shown: SeedRow;
  /** The seed of the dot under the pointer or with the focus, in any of the charts; null if there is no such dot. */
  readonly pointed: number | null;
  readonly onPoint: (seed: number | null) => void;
  readonly onChoose: (seed: number) => void;
}

/**
 * Shows one measure over many seeds: a row for each pane, with a dot for each run. Arrow keys move from dot to dot, and
 * Enter opens the run of the current dot.
 */
export function SeedChart({rows, names, measure, shown, pointed, onPoint, onChoose}: SeedChartProps) {
  const area = useRef<HTMLDivElement>(null);
  const {width, height, fontPx} = useSize(area);
  const chart = useMemo(
    () => layOutChart(rows, shown, measure, {width, height, fontPx}),
    [rows, shown, measure, width, height, fontPx],
  );
  const seedAt = (event: MouseEvent) => {
    const box = area.current?.getBoundingClientRect();
    const at = {x: event.clientX - (box?.left ?? 0), y: event.clientY - (box?.top ?? 0)};
    return dotNear(chart, at, fontPx)?.seed ?? null;
  };
  const id = useId();
  const [focused, setFocused] = useState<DotPlace | null>(null);
  const focusedDot = focused === null ? undefined : dotOf(chart.rows[focused.pane], focused.seed);
  const focus = (place: DotPlace | null) => {
    setFocused(place);
    onPoint(place?.seed ?? null);
  };
  const press = (event: KeyboardEvent) => {
    if (focused === null || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const from = focusedDot === undefined ? firstDot(chart) : focused;
    const to = from === undefined ? undefined : dotBeside(chart, from, event.key);
    if (event.key === 'Enter' && focusedDot !== undefined) onChoose(focusedDot.seed);
    else if (to !== undefined) focus(to);
    else return;
    // otherwise the window's own shortcuts would step through the run
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      className="seed-chart"
      ref={area}
      data-measure={measure.name}
      role="listbox"
      // without dots there are no options yet
      aria-busy={firstDot(chart) === undefined}
      tabIndex={0}
      aria-label={chartText(chart, names, measure)}
      aria-activedescendant={focusedDot && focused ? `${id}-${focused.pane}-${focused.seed}` : undefined}
      onFocus={({currentTarget}) => {
        // a click also gives the chart the focus, but after a click the keys still step through the run
        if (currentTarget.matches(':focus-visible')) focus(firstDot(chart) ?? null);
      }}
      onBlur={() => focus(null)}
      onKeyDown={press}
      onPointerMove={event => onPoint(seedAt(event))}
      onPointerLeave={() => onPoint(null)}
      onClick={event => {
        const seed = seedAt(event);
        if (seed !== null) onChoose(seed);
      }}
      style={{cursor: pointed === null ? 'default' : 'pointer'}}
    >
      <svg width={width} height={height} role="presentation">
        <text className="seed-title" x={0} y={fontPx}>
          {measure.title}
        </text>
        <Axis chart={chart} fontPx={fontPx} />
        {chart.rows.map((row, pane) => {
          const other = pointed === shown.seed ? undefined : dotOf(row, pointed);
          return (
            <g key={names[pane]}>
              <Row
                row={row}
                id={`${id}-${pane}`}
                name={names[pane] ?? ''}
                isNarrow={width < fontPx * NARROW_EM}
                fontPx={fontPx}
              />
              <Mark dot={row.shown} className="shown" fontPx={fontPx} />
              {other !== undefined && <Mark dot={other} className="pointed" fontPx={fontPx} />}
              <text
                className={`seed-time ${other === undefined ? 'shown' : 'pointed'}`}
                x={width}
                y={row.nameY + fontPx * 0.4}
                textAnchor="end"
              >
                {dotText(other ?? row.shown)}
              </text>
            </g>
          );
        })}
        {focusedDot !== undefined && <Mark dot={focusedDot} className="focused" fontPx={fontPx} />}
      </svg>
    </div>
  );
}

function Axis({chart, fontPx}: {readonly chart: Chart; readonly fontPx: number}) {
  const {x, ticks, axisY, neverX} = chart;
  return (
    <g className="seed-axis">
      {ticks.map(ms => (
        <g key={ms}>
          <line x1={x(ms)} x2={x(ms)} y1={fontPx * 1.5} y2={axisY} />
          <text x={x(ms)} y={axisY + fontPx * 1.2} textAnchor="middle">
            {ms / 1000} s
          </text>
        </g>
      ))}
      {neverX !== null && (
        <text x={neverX + fontPx * 2.25} y={axisY + fontPx * 1.2} textAnchor="middle">
          never
        </text>
      )}
    </g>
  );
}

interface RowProps {
  readonly row: ChartRow;
  /** The common prefix of the ids of the row's dots. */
  readonly id: string;
  readonly name: string;
  readonly isNarrow: boolean;
  readonly fontPx: number;
}

const Row = memo(function Row({row, id, name, isNarrow, fontPx}: RowProps) {
  const {y, height, radius, nameY, dots, never, box, shown} = row;
  const [top, boxHeight] = [y - height * 0.45, height * 0.9];
  return (
    <g>
      {box !== null && (
        <>
          <rect className="seed-half" x={box.from} width={box.to - box.from} y={top} height={boxHeight} />
          {box.interval !== null && (
            <rect
              className="seed-interval"
              x={box.interval[0]}
              width={box.interval[1] - box.interval[0]}
              y={top}
              height={boxHeight}
            />
          )}
        </>
      )}
      {[...dots, ...never].map(dot => (
        <circle
          key={dot.seed}
          id={`${id}-${dot.seed}`}
          role="option"
          aria-label={`${name}, ${dotText(dot)}`}
          aria-selected={dot.seed === shown.seed}
          className={dot.ms === null ? 'seed-dot never' : 'seed-dot'}
          data-seed={dot.seed}
          cx={dot.x}
          cy={dot.y}
          r={radius}
        />
      ))}
      {box !== null && box.median !== null && (
        <line className="seed-median" x1={box.median} x2={box.median} y1={top} y2={top + boxHeight} />
      )}
      <text className="seed-name" x={0} y={nameY + fontPx * 0.4}>
        {name}
        <tspan className="dim">{`  ${rowText(row, isNarrow)}`}</tspan>
      </text>
    </g>
  );
});

function dotOf(row: ChartRow | undefined, seed: number | null): Dot | undefined {
  return row && [...row.dots, ...row.never].find(dot => dot.seed === seed);
}

interface MarkProps {
  readonly dot: Dot;
  readonly className: string;
  readonly fontPx: number;
}

function Mark({dot, className, fontPx}: MarkProps) {
  return <circle className={`seed-mark ${className}`} cx={dot.x} cy={dot.y} r={fontPx * 0.4} />;
}

/** Below this width, em, there is no room for the whole text above a row. */
const NARROW_EM = 23;
