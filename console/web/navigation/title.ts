import { useEffect } from 'preact/hooks';

/** Each page gets these. */
export interface PageProps {
  /** The parameters of its path. */
  readonly params: Readonly<Record<string, string>>;
}

/** Names the page for the browser. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Fairlead`;
  }, [title]);
}
