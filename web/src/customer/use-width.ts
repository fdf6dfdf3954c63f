import { type RefCallback, useCallback, useState } from 'react';

/** The width of an element as it is laid out, in pixels; 0 before that. */
export function useWidth(): readonly [RefCallback<HTMLElement>, number] {
  const [width, setWidth] = useState(0);
  const observe = useCallback((element: HTMLElement | null) => {
    if (element === null) {
      return;
    }
    setWidth(Math.floor(element.clientWidth));
    const observer = new ResizeObserver(() => setWidth(Math.floor(element.clientWidth)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [observe, width];
}
