import {type ComponentProps, useMemo} from 'react';
import {causeOf, objectsConcerned} from '../../../app/run/cause/cause.ts';
import {Pane} from '../panes/Pane.tsx';

interface ExplainedPaneProps extends Omit<ComponentProps<typeof Pane>, 'cause'> {
  /** The packet of this pane whose loss is explained; null for none. */
  readonly lost: number | null;
}

/** A pane in which the objects that a loss concerns stand out and say why, unless others are pointed at. */
export function ExplainedPane({lost, ...props}: ExplainedPaneProps) {
  const {trace, hovered} = props;
  const cause = useMemo(() => (lost === null ? null : (causeOf(trace, lost) ?? null)), [trace, lost]);
  const concerned = useMemo(() => new Set(cause === null ? [] : objectsConcerned(cause)), [cause]);
  return <Pane {...props} cause={cause} hovered={hovered.size > 0 ? hovered : concerned} />;
}
