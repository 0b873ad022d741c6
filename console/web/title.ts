import { useEffect } from 'preact/hooks';

/** What each page gets. */
export interface PageProps {
  /** Of its path. */
  readonly params: Readonly<Record<string, string>>;
}

/** Names the page for the browser. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Fairlead`;
  }, [title]);
}
