import {useEffect, useRef, useState} from 'react';
import {windowSlices} from './windowSlices.ts';

/**
 * Returns the result of `make`, or null until there is a result. When `make` changes, it is called again, but at most a
 * few times a second, only when there is time, and never while the user drags, types or turns the wheel.
 */
export function useCalm<T>(make: () => T): T | null {
  const [made, setMade] = useState<T | null>(null);
  const latest = useRef(make);
  const isDue = useRef(false);
  useEffect(() => {
    latest.current = make;
    if (isDue.current) return;
    isDue.current = true;
    const again = (): void => {
      isDue.current = false;
      setMade(latest.current());
    };
    window.setTimeout(() => void windowSlices(again), CALM_MS);
  }, [make]);
  return made;
}

/** The least time between two results, ms. */
const CALM_MS = 250;
