import { useEffect, useRef } from 'preact/hooks';
import type { ApplicationDetail } from '#queries/answers/application.js';
import { pathText } from './model/three-way.js';
import type { Takeover } from './model/drafts.js';

interface ConflictProps {
  readonly theirs: ApplicationDetail;
  /** True: it was deleted, and this is another one. */
  readonly isAnother: boolean;
  readonly takeover: Takeover;
  readonly take: () => void;
}

const MOST = 30;

function Paths({ title, paths }: { title: string; paths: readonly string[] }) {
  if (paths.length === 0) return null;
  return (
    <>
      <p>{title}</p>
      <ul>
        {paths.slice(0, MOST).map((path) => (
          <li key={path}>
            <code>{path}</code>
          </li>
        ))}
      </ul>
      {paths.length > MOST ? <p>and {paths.length - MOST} more</p> : null}
    </>
  );
}

/** Nothing that was typed is lost, and nothing that somebody else did is overwritten unseen. */
export function Conflict({ theirs, isAnother, takeover, take }: ConflictProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [theirs]);
  return (
    <section class="notice" role="alert" aria-labelledby="conflict">
      <h2 id="conflict" ref={heading} tabIndex={-1}>
        {isAnother ? 'It was deleted and created again meanwhile' : 'Somebody changed it meanwhile'}
      </h2>
      <p>Nothing was written, and nothing that you typed is lost.</p>
      <Paths title="They changed:" paths={takeover.theirs.map(pathText)} />
      <Paths
        title="You both changed these differently; taken over, they are as you have them:"
        paths={takeover.both.map(pathText)}
      />
      <p>
        <button type="button" class="main" onClick={take}>
          Take over their changes
        </button>
      </p>
    </section>
  );
}
