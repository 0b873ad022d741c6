import { useEffect, useRef, useState } from 'preact/hooks';
import { isSameWindow, rowWindow, type RowWindow } from './model/row-window.js';

/** Of an element that is not measured yet. */
const UNMEASURED = { top: 0, height: 600 };

/** The rows to draw in an element that scrolls. It is looked at once per frame at most, and drawn if they are others. */
export function useRowWindow<E extends HTMLElement>(rowHeight: number, rows: number) {
  const element = useRef<E>(null);
  const [scrolled, set] = useState(UNMEASURED);
  useEffect(() => {
    const { current } = element;
    if (current === null) return undefined;
    const windowAt = (at: typeof UNMEASURED): RowWindow => rowWindow({ ...at, rowHeight, rows });
    let frame = 0;
    const read = (): void => {
      const next = { top: current.scrollTop, height: current.clientHeight };
      set((before) => (isSameWindow(windowAt(before), windowAt(next)) ? before : next));
    };
    const readOnce = (): void => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(read);
    };
    const observer = new ResizeObserver(readOnce);
    observer.observe(current);
    current.addEventListener('scroll', readOnce, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
      current.removeEventListener('scroll', readOnce);
    };
  }, [rowHeight, rows]);
  return { element, ...rowWindow({ ...scrolled, rowHeight, rows }) };
}

const NARROW = '(max-width: 40rem)';

/** True on a screen that has no room for a column per cluster. */
export function useNarrow(): boolean {
  const [isNarrow, set] = useState(() => matchMedia(NARROW).matches);
  useEffect(() => {
    const media = matchMedia(NARROW);
    const follow = (): void => set(media.matches);
    media.addEventListener('change', follow);
    return () => media.removeEventListener('change', follow);
  }, []);
  return isNarrow;
}
