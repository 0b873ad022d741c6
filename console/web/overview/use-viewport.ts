import { useEffect, useRef, useState } from 'preact/hooks';

/** Pixels that are scrolled past, and that can be seen. */
export interface Viewport {
  readonly top: number;
  readonly left: number;
  readonly height: number;
  readonly width: number;
}

/** Of an element that is not measured yet. */
const UNMEASURED: Viewport = { top: 0, left: 0, height: 600, width: 1_600 };

/**
 * What can be seen of an element that scrolls. It is looked at once per frame at most, and told if `derive` makes
 * something else of it.
 */
export function useViewport<E extends HTMLElement, D>(
  derive: (viewport: Viewport) => D,
  isSame: (left: D, right: D) => boolean,
) {
  const element = useRef<E>(null);
  const [viewport, set] = useState(UNMEASURED);
  const latest = useRef(derive);
  latest.current = derive;
  const look = useRef((): void => {
    const { current } = element;
    if (current === null) return;
    const { scrollTop: top, scrollLeft: left, clientHeight: height, clientWidth: width } = current;
    const next = { top, left, height, width };
    set((before) => (isSame(latest.current(before), latest.current(next)) ? before : next));
  }).current;
  useEffect(() => {
    const { current } = element;
    if (current === null) return undefined;
    let frame = 0;
    const lookOnce = (): void => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(look);
    };
    const observer = new ResizeObserver(lookOnce);
    observer.observe(current);
    current.addEventListener('scroll', lookOnce, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
      current.removeEventListener('scroll', lookOnce);
    };
  }, []);
  return { element, look, drawn: derive(viewport) };
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
