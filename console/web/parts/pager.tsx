interface PagerProps {
  readonly page: number;
  readonly limit: number;
  readonly total: number;
  readonly ask: (page: number) => void;
}

/** Nothing if all is on one page. */
export function Pager({ page, limit, total, ask }: PagerProps) {
  const pages = Math.max(1, Math.ceil(total / limit));
  if (pages === 1 && page === 1) return null;
  return (
    <nav class="pager" aria-label="Pages">
      <button type="button" disabled={page <= 1} onClick={() => ask(page - 1)}>
        Previous
      </button>
      <span>
        Page {page} of {pages}
      </span>
      <button type="button" disabled={page >= pages} onClick={() => ask(page + 1)}>
        Next
      </button>
    </nav>
  );
}
