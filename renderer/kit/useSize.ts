import {useLayoutEffect, useState} from 'react';

/**
 * Returns the element's size and font size, CSS px. Renders again when the size changes. A change of only the font size
 * is not noticed.
 */
export function useSize(area: {readonly current: HTMLElement | null}) {
  const [size, setSize] = useState({width: 800, height: 200, fontPx: 12});
  useLayoutEffect(() => {
    const element = area.current;
    if (element === null) return;
    const measure = () => {
      const fontPx = Number.parseFloat(getComputedStyle(element).fontSize);
      setSize({width: element.clientWidth, height: element.clientHeight, fontPx});
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [area]);
  return size;
}
