import { useId, useState } from 'preact/hooks';
import type { ReadTemplate } from '#queries/answers/templates.js';
import { ChangeDialog } from '../change/change-dialog.js';
import { shareCommands } from '../application/model/action-commands.js';
import { addingRefused, sharingBody, sharingRefused, type SharingChange } from './model/template-words.js';
import { OfferButton } from '../parts/said.js';
import { Some } from '../parts/lists.js';

interface SharingProps {
  readonly template: ReadTemplate;
  /** Of the API of the template. */
  readonly path: string;
}

interface AskedProps extends SharingProps {
  readonly asked: SharingChange;
  readonly close: () => void;
}

function AskedDialog({ template, path, asked, close }: AskedProps) {
  const { namespace, isAdded } = asked;
  const title = isAdded
    ? `Share ${template.name} with ${namespace}`
    : `Stop sharing ${template.name} with ${namespace}`;
  const change = {
    ...{ method: 'POST' as const, path: `${path}/share`, body: sharingBody(asked) },
    query: { uid: template.uid },
  };
  const commands = shareCommands(template, asked);
  return (
    <ChangeDialog title={title} label={isAdded ? 'Share' : 'Stop sharing'} {...{ commands, change, close }}>
      <p>
        {isAdded
          ? 'Applications of this namespace may use the template from now on.'
          : 'Applications of this namespace that use it keep what runs, and are not changed any more.'}
      </p>
    </ChangeDialog>
  );
}

function Add({ template, ask }: Pick<SharingProps, 'template'> & { ask: (change: SharingChange) => void }) {
  const [typed, type] = useState('');
  const field = useId();
  const wanted = typed.trim();
  return (
    <p class="buttons">
      <label for={field}>Namespace</label>
      <input
        id={field}
        value={typed}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => type(event.currentTarget.value)}
      />
      <OfferButton
        label="Share"
        refused={addingRefused(template, wanted)}
        take={() => ask({ namespace: wanted, isAdded: true })}
      />
    </p>
  );
}

/** The namespaces that may use a template by their names, and how to change that. */
export function Sharing({ template, path }: SharingProps) {
  const [asked, ask] = useState<SharingChange | undefined>();
  const { namespaces = [], selector } = template.spec.sharedWith ?? {};
  return (
    <section aria-labelledby="sharing">
      <h2 id="sharing">Namespaces that may use it</h2>
      <p>
        {namespaces.length === 0 ? 'Its own, and no other one by its name.' : 'Its own, and:'}
        {selector === undefined ? '' : ' A selector in its spec may select more.'}
      </p>
      <Some items={namespaces}>
        {(namespace) => (
          <li key={namespace}>
            <span class="message">{namespace}</span>{' '}
            <OfferButton
              class="small"
              label="Stop sharing"
              about={` with ${namespace}`}
              refused={sharingRefused(template)}
              take={() => ask({ namespace, isAdded: false })}
            />
          </li>
        )}
      </Some>
      <Add {...{ template, ask }} />
      {asked === undefined ? null : <AskedDialog {...{ template, path, asked }} close={() => ask(undefined)} />}
    </section>
  );
}
