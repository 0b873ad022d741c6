import { Fragment } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { Command } from './model/commands.js';

function CopyButton({ command, title }: Command) {
  const [said, say] = useState('Copy');
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(command);
      say('Copied');
    } catch {
      // Browsers have a clipboard for pages by TLS, and of this machine, only.
      say('Select it to copy');
    }
  };
  return (
    <button type="button" class="small" aria-label={`${said}: ${title}`} onClick={() => void copy()}>
      {said}
    </button>
  );
}

/** The text is the command as it is. */
function Words({ command }: Pick<Command, 'command'>) {
  return (
    <code>
      {command.split(' ').map((word, index) => (
        <Fragment key={index}>
          {index === 0 ? '' : ' '}
          <span class="word">{word}</span>
        </Fragment>
      ))}
    </code>
  );
}

/** What does the same in a terminal. */
export function CommandList({ commands }: { commands: readonly Command[] }) {
  // A dialog may have one above that of its page.
  const heading = useId();
  if (commands.length === 0) return null;
  return (
    <section aria-labelledby={heading}>
      <h2 id={heading}>In a terminal</h2>
      <dl class="commands">
        {commands.map(({ title, command }) => (
          <div key={command}>
            <dt>{title}</dt>
            <dd>
              <Words command={command} />
              <CopyButton title={title} command={command} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
