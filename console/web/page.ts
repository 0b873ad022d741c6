/** What each page gets. */
export interface PageProps {
  /** Of its path. */
  readonly params: Readonly<Record<string, string>>;
}
