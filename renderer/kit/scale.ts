/**
 * How a number of a document, such as a scenario, is shown on a slider and in the text beside it. The document may use
 * another unit than people read.
 */
export interface Scale {
  /** The slider's position, 0–{@link sliderSteps}. */
  readonly toSlider: (value: number) => number;
  readonly fromSlider: (step: number) => number;
  /** The number as text, in the unit that people read. */
  readonly format: (value: number) => string;
  /** Converts a number in the unit that people read to the number in the document. */
  readonly toDocument: (typed: number) => number;
  /**
   * The next larger unit, for numbers from `least` on, and their scale in this unit. Absent if there is no larger unit.
   */
  readonly larger?: {readonly least: number; readonly unit: string; readonly scale: Scale};
}

/** A scale, and the unit of its numbers. */
export interface UnitScale {
  readonly unit: string;
  readonly scale: Scale;
}

/** The unit that fits a number of the document: the largest unit whose `least` is not above the number. */
export function fittingUnit({unit, scale}: UnitScale, value: number): UnitScale {
  const {larger} = scale;
  return larger === undefined || value < larger.least ? {unit, scale} : fittingUnit(larger, value);
}

export const sliderSteps = 1000;

interface Range {
  /** The values at the slider's ends, in the unit that people read. They are usual values, not limits. */
  readonly from: number;
  readonly to: number;
  /** The number in the document that equals 1 in the unit that people read. */
  readonly factor: number;
  /** The number of significant digits of values that the slider sets. */
  readonly digits: number;
  readonly isInteger?: boolean;
}

export function linearScale(range: Range): Scale {
  const {from, to} = range;
  return scale(
    range,
    shown => (shown - from) / (to - from),
    share => from + share * (to - from),
  );
}

/** A scale on which equal steps are equal ratios. `from` must be above 0. */
export function logScale(range: Range): Scale {
  const [from, to] = [Math.log(range.from), Math.log(range.to)];
  return scale(
    range,
    shown => (Math.log(Math.max(shown, range.from)) - from) / (to - from),
    share => Math.exp(from + share * (to - from)),
  );
}

function scale(range: Range, toShare: (shown: number) => number, fromShare: (share: number) => number): Scale {
  const {factor, digits, isInteger = false} = range;
  const toDocument = (shown: number): number => {
    // without rounding, 1.1 · 0.01 would be 0.011000000000000001
    const value = Number((shown * factor).toPrecision(12));
    return isInteger ? Math.round(value) : value;
  };
  return {
    toSlider: value => Math.round(clamp(toShare(value / factor)) * sliderSteps),
    fromSlider: step => toDocument(Number(fromShare(step / sliderSteps).toPrecision(digits))),
    format: value => String(Number((value / factor).toPrecision(12))),
    toDocument,
  };
}

function clamp(share: number): number {
  return Math.min(Math.max(share, 0), 1);
}
