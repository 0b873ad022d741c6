interface DifferencesProps {
  readonly differences: readonly { readonly path: string; readonly old?: unknown; readonly new?: unknown }[];
  /** Number of others. */
  readonly more: number;
}

const MOST_CHARACTERS = 2_000;

function valueText(value: unknown): string {
  const text = value === undefined ? '' : JSON.stringify(value);
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}

/** Fields with what they are before and after. */
export function Differences({ differences, more }: DifferencesProps) {
  return (
    <>
      <dl class="differences">
        {differences.map((difference) => (
          <div key={difference.path}>
            <dt>
              <code>{difference.path}</code>
            </dt>
            <dd class="bad">
              <span aria-hidden="true">−</span> <span class="unseen">before: </span>
              {valueText(difference.old)}
            </dd>
            <dd class="good">
              <span aria-hidden="true">+</span> <span class="unseen">now: </span>
              {valueText(difference.new)}
            </dd>
          </div>
        ))}
      </dl>
      {more === 0 ? null : <p class="hint">and {more} more</p>}
    </>
  );
}
