import type { ComponentChildren } from 'preact';

/** Titles with their texts, in order; what is empty is left out. */
export function Facts({ facts }: { facts: Readonly<Record<string, ComponentChildren>> }) {
  return (
    <dl class="facts">
      {Object.entries(facts).map(([title, text]) =>
        text === '' ? null : (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{text}</dd>
          </div>
        ),
      )}
    </dl>
  );
}
