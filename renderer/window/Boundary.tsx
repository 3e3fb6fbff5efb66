import {Component, type ReactNode} from 'react';
import {messageOf} from '../../app/base/text.ts';

interface BoundaryProps {
  /** The name of the region inside a sentence: `the timeline` in `could not show the timeline`. */
  readonly region: string;
  /** The values that the region shows. When one of them changes, a failed region is rendered again. */
  readonly shown?: readonly unknown[];
  /** Another button beside 'Show it again'. */
  readonly remedy?: {readonly label: string; readonly act: () => void};
  readonly children: ReactNode;
}

interface BoundaryState {
  /** What was thrown; null while the region is shown. */
  readonly failure: {readonly thrown: unknown} | null;
  readonly shown: readonly unknown[];
}

/**
 * Confines an error that is thrown while a region renders: without a boundary, React removes the whole window. React
 * writes the error and its stack to the console.
 */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = {failure: null, shown: this.props.shown ?? NOTHING};

  static getDerivedStateFromError(thrown: unknown): Partial<BoundaryState> {
    return {failure: {thrown}};
  }

  static getDerivedStateFromProps({shown = NOTHING}: BoundaryProps, before: BoundaryState): BoundaryState | null {
    return shown.some((value, i) => value !== before.shown[i]) ? {failure: null, shown} : null;
  }

  override render(): ReactNode {
    const {region, remedy, children} = this.props;
    const {failure} = this.state;
    if (failure === null) return children;
    return (
      <section className="notice failed" role="alert">
        <p>
          Interleave could not show {region}: {messageOf(failure.thrown)}
        </p>
        <button type="button" onClick={() => this.setState({failure: null})}>
          Show it again
        </button>
        {remedy !== undefined && (
          <button type="button" onClick={remedy.act}>
            {remedy.label}
          </button>
        )}
      </section>
    );
  }
}

const NOTHING: readonly unknown[] = [];
