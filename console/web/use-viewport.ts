import { useEffect, useRef, useState } from 'preact/hooks';

export interface Scrolled {
  readonly top: number;
  readonly height: number;
}

/** How far an element is scrolled, and how much of it can be seen; told at most once per frame. */
export function useScrolled<E extends HTMLElement>() {
  const element = useRef<E>(null);
  const [scrolled, set] = useState<Scrolled>({ top: 0, height: 600 });
  useEffect(() => {
    const { current } = element;
    if (current === null) return undefined;
    let frame = 0;
    const read = (): void => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => set({ top: current.scrollTop, height: current.clientHeight }));
    };
    const observer = new ResizeObserver(read);
    observer.observe(current);
    current.addEventListener('scroll', read, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
      current.removeEventListener('scroll', read);
    };
  }, []);
  return { element, scrolled };
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
