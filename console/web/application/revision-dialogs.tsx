import { useState } from 'preact/hooks';
import { Choice } from '../parts/fields.js';
import { namedClusters } from '../parts/model/destinations.js';
import type { ShownDifferences } from '#queries/answers/revisions.js';
import { Dialog } from '../change/change-dialog.js';
import { Shown, usePolled } from '../data/polled.js';
import { rollbackCommands } from './model/action-commands.js';
import { PlannedDialog } from './planned-dialog.js';
import { type ActionProps, useActionOn } from './view.js';

/** Revisions that are kept do not change. */
const never = (): boolean => false;

interface Pair {
  readonly from: number;
  readonly to: number;
}

function Differences({ found: { differences, more } }: { found: ShownDifferences }) {
  if (differences.length === 0) return <p>They say the same.</p>;
  return (
    <div class="differences" role="region" aria-label="What differs" tabIndex={0}>
      <dl>
        {differences.map(({ path, old, new: next }) => (
          <div key={path}>
            <dt>{path}</dt>
            {old === '' ? null : (
              <dd>
                <del>{old}</del>
              </dd>
            )}
            {next === '' ? null : (
              <dd>
                <ins>{next}</ins>
              </dd>
            )}
          </div>
        ))}
      </dl>
      {more > 0 ? <p>and {more} more</p> : null}
    </div>
  );
}

interface CompareDialogProps {
  readonly path: string;
  readonly first: Pair;
  readonly kept: readonly number[];
  readonly close: () => void;
}

/** Shows the differences between two revisions, field by field. */
export function CompareDialog({ path, first, kept, close }: CompareDialogProps) {
  const [{ from, to }, set] = useState(first);
  const polled = usePolled<ShownDifferences>(`${path}/history/diff?from=${from}&to=${to}`, never);
  const choices = kept.map((revision) => [String(revision), `Revision ${revision}`] as const);
  return (
    <Dialog title="What differs" close={close}>
      <div class="fields">
        <Choice label="From" value={String(from)} {...{ choices }} choose={(each) => set({ from: Number(each), to })} />
        <Choice label="To" value={String(to)} {...{ choices }} choose={(each) => set({ from, to: Number(each) })} />
      </div>
      <Shown polled={polled} what="what differs">
        {(found) => <Differences found={found} />}
      </Shown>
      <p class="buttons">
        <button type="button" onClick={close}>
          Close
        </button>
      </p>
    </Dialog>
  );
}

interface RollbackProps extends ActionProps {
  /** Undefined: a pin is ended. */
  readonly revision: number | undefined;
}

/** Goes back to a revision, or ends that, on all clusters or on one. */
export function RollbackDialog({ detail, path, revision, close }: RollbackProps) {
  const [cluster, choose] = useState('');
  const clusters = namedClusters(detail.destinations);
  const where = cluster === '' ? {} : { cluster };
  const body = revision === undefined ? where : { revision, ...where };
  const change = useActionOn(detail, path)(revision === undefined ? 'release' : 'rollback', body);
  const title = revision === undefined ? `Release ${detail.name}` : `Roll ${detail.name} back to revision ${revision}`;
  return (
    <PlannedDialog
      name={detail.name}
      title={title}
      label={revision === undefined ? 'Release' : 'Roll back'}
      commands={rollbackCommands(detail, revision, cluster)}
      {...{ change, close }}
    >
      <Choice label="Where" value={cluster} choices={[['', 'All clusters'], ...clusters]} choose={choose} />
    </PlannedDialog>
  );
}
