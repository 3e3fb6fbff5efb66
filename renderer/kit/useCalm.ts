import {useEffect, useRef, useState} from 'react';
import {windowSlices} from './windowSlices.ts';

/**
 * The result of `make`. It is made again some time after `make` changed: a few times a second at most, when there is
 * time, and never while the user moves something. Null before the first.
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

/** The time between two results: four a second. */
const CALM_MS = 250;
