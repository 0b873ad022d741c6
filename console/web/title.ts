import { useEffect } from 'preact/hooks';

/** Names the page for the browser. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Fairlead`;
  }, [title]);
}
